package dev.leasehold.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A guard is a small process that ends the command before its lease ends, whatever has become of this JVM.
 *
 * <p>A JVM that was stopped or killed cannot end its command, and the store will give the lock to the next process when the
 * lease is over. So somebody else must hold the stop watch. The guard is a shell script ({@code guard.sh}) of about a
 * megabyte, and this is why it does what it should:
 *
 * <ul>
 *   <li>It is there first. The command is started after the guard has said "armed", that is, after it has set its watch
 *       to the lease's deadline.
 *   <li>It cannot be stopped along with us: it has a session of its own, so that neither Ctrl-Z nor a signal to our process
 *       group reaches it, and it ignores every signal that can be ignored.
 *   <li>It receives each confirmed deadline as a point on the {@link BootClock}, never as time left: a message that was held
 *       up says nothing wrong. Silence changes nothing. The end of the pipe, which the kernel brings about however we die,
 *       means that nobody renews the lease any more, and the command is ended at once.
 *   <li>It finds the command by a random mark in the environment, which all its descendants inherit, also those that were
 *       detached; and by walking the tree of processes, for those that have cleaned their environment. The mark is there
 *       from the first moment, before anybody knows the process id.
 *   <li>What it has found once, at a renewal or at the end, it does not forget, with what descends from it: a descendant that
 *       has cleaned its environment survives the SIGTERM of which the parent dies that it was found through.
 *   <li>What it knows it signals when the time has come, without starting a process for that: on a busy machine, to look through
 *       all processes takes longer than the lease lasts from then on. It looks for others afterwards. The SIGKILL comes from a
 *       process that was started for it with the SIGTERM, and only waits; the earlier, the more there are to be ended.
 *   <li>From the deadline on, the one process that has found them ends them: no later message takes its place, nor does the
 *       end of the pipe. It goes on when the rest of the guard is killed, until it has ended all that it finds.
 *   <li>We may be stopped for long between asking for the command and its start. So its first act is to look at the clock
 *       ({@code start.sh}), and the guard keeps looking for latecomers.
 *   <li>Should the guard itself die, {@link Supervisor} ends the command and gives the lock back.
 * </ul>
 *
 * <p>What it cannot do: end processes of other users (of {@code sudo}), or that have both left the tree and cleaned their
 * environment between two of its looks, or hang in the kernel; run while the whole container is frozen; do anything once
 * it was killed or stopped together with us.
 */
final class Guard {

    private static final long LONGEST_GOODBYE_MILLIS = 500;

    private final Process process;
    private final Thread listener;
    private final OutputStream pipe;
    private EndTimes times = new EndTimes(0, 0, 0);
    private long pid;

    private Guard(Process process, Thread listener) {
        this.process = process;
        this.listener = listener;
        this.pipe = process.getOutputStream();
    }

    /**
     * Starts a guard without a command.
     *
     * @param mark what its command will carry in its environment
     * @param grace between SIGTERM and SIGKILL
     * @param events receives each line that it says, and "gone" at last
     * @param environment variables of its environment beside those of this JVM
     */
    static Guard start(String mark, Duration grace, Consumer<String> events, Map<String, String> environment)
            throws IOException {
        // The PATH may be one for the command alone.
        String ownSession = "PATH=${PATH:+$PATH:}/usr/bin:/bin; export PATH;"
                + " command -v setsid >/dev/null && exec setsid sh -c \"$@\"; exec sh -c \"$@\"";
        List<String> command = List.of(
                "/bin/sh",
                "-c",
                ownSession,
                "sh",
                script("guard.sh"),
                "leasehold-guard",
                mark,
                "" + EndTimes.hundredths(grace));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process = builder.start();
        Thread listener = new Thread(() -> listen(process, events), "leasehold-cli-guard");
        listener.setDaemon(true);
        listener.start();
        return new Guard(process, listener);
    }

    private static void listen(Process process, Consumer<String> events) {
        process.onExit().thenRun(() -> events.accept("gone"));
        try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                events.accept(line);
            }
        } catch (IOException e) {
            // It is gone; the reader above has reported that.
        }
    }

    void watch(EndTimes newTimes) {
        times = newTimes;
        tell(times.termAt() + " " + times.killAt() + " " + pid);
    }

    void watch(long commandPid) {
        pid = commandPid;
        watch(times);
    }

    /** Has the guard answer "synced" after all that it has said before. */
    void sync() {
        tell("sync");
    }

    /** Tells the guard that the command has ended by itself: there is nothing to guard. */
    void dismiss() {
        tell("end");
    }

    /** Waits until the guard is gone: a JVM takes 300 ms to end while one of its threads waits for a process. */
    void awaitEnd() throws InterruptedException {
        listener.join(LONGEST_GOODBYE_MILLIS);
        process.waitFor(LONGEST_GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Has the guard end the command now; it says "dead" when that is done. */
    void endCommand() {
        try {
            pipe.close();
        } catch (IOException e) {
            // It is gone, which the listener tells.
        }
    }

    private void tell(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            // It is gone or has been asked to end the command, and then the deadline does not matter.
        }
    }

    static String script(String name) {
        try (InputStream script = Guard.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("the program is incomplete: " + name + " is missing");
            }
            return new String(script.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
