package dev.leasehold.cli;

import java.time.Duration;

/**
 * Hangups tell a hang-up of the terminal from a SIGHUP that is meant for us alone. When the terminal has gone, the shell or
 * the kernel sends SIGHUP to the whole process group, the command's too; but to nobody else than us if we are the session's
 * leader.
 */
final class Hangups {

    private static final Duration TOGETHER = Duration.ofSeconds(1);

    private final boolean hadTerminal;
    private boolean hungUp;
    private long hungUpAt;

    /** Begins with the content of {@code /proc/self/stat} at the start, or an empty text. */
    Hangups(String stat) {
        hadTerminal = hasTerminal(stat);
    }

    /** Returns whether the command has had this SIGHUP of ours, which came at that time. */
    boolean commandHasIt(String stat, long nanos) {
        if (!hadTerminal || stat.isEmpty() || hasTerminal(stat) || isLeader(stat)) {
            return false;
        }
        if (!hungUp) {
            hungUp = true;
            hungUpAt = nanos;
        }
        return nanos - hungUpAt < TOGETHER.toNanos();
    }

    /** Returns whether there is a terminal, which is field 7. */
    private static boolean hasTerminal(String stat) {
        return !stat.isEmpty() && !ProcessSignals.fields(stat)[4].equals("0");
    }

    /** Returns whether this process leads its session, which is field 6 and has the number of its leader. */
    private static boolean isLeader(String stat) {
        return stat.startsWith(ProcessSignals.fields(stat)[3] + " ");
    }
}
