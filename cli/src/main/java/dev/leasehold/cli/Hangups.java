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

    /** The argument is what {@code /proc/self/stat} says at the start, or empty. */
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

    /** Field 7 is the terminal. */
    private static boolean hasTerminal(String stat) {
        return !stat.isEmpty() && !Signals.fields(stat)[4].equals("0");
    }

    /** Field 6 is the session, which has the number of its leader. */
    private static boolean isLeader(String stat) {
        return stat.startsWith(Signals.fields(stat)[3] + " ");
    }
}
