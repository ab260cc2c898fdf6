package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A guard in a test, with commands to guard: no lock, no wrapper, times as the test likes. */
abstract class GuardHarness {

    static final Duration GRACE = Duration.ofMillis(300);
    static final String STUBBORN = "trap '' TERM; echo >\"$1/ready\"; while :; do sleep 0.05; done";

    @TempDir
    Path dir;

    final String mark = new BigInteger(128, new SecureRandom()).toString(36);
    final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    final List<Process> started = new ArrayList<>();

    Guard guard;

    @BeforeEach
    void start() throws IOException {
        guard = Guard.start(mark, GRACE, said::add, Map.of());
    }

    @AfterEach
    void killWhatIsLeft() throws Exception {
        guard.dismiss();
        guard.awaitEnd();
        started.forEach(Process::destroyForcibly);
    }

    Process command(Long startBefore, String script) throws IOException {
        Process process = new Command(List.of("sh", "-c", script, "sh", dir.toString()))
                .start("demo", 1, OptionalInt.empty(), mark, startBefore);
        started.add(process);
        return process;
    }

    void hear(String... lines) throws InterruptedException {
        for (String line : lines) {
            assertThat(next()).isEqualTo(line);
        }
    }

    /** The guard and its timer are two processes: of a time that has come, either may be the first to speak. */
    void hearBoth(String one, String other) throws InterruptedException {
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder(one, other);
    }

    /** Waits less than the minute for which the patches of verification/battery/guards have it say nothing. */
    private String next() throws InterruptedException {
        return String.valueOf(said.poll(45, TimeUnit.SECONDS));
    }

    /** With a deadline that is not waited for. */
    void arm() throws InterruptedException {
        guard.watch(in(30_000, 31_000));
        hear("armed");
    }

    /** In hundredths of a second. */
    static EndTimes in(long term, long kill) {
        long now = BootClock.now();
        return new EndTimes(now + kill, now + term, now + kill);
    }

    /** The guard's looks through all processes do what is given before they begin. */
    void startAnew(Duration grace, String first) throws Exception {
        startAnew(grace, first, ":");
    }

    /** And each grep does the last. */
    void startAnew(Duration grace, String first, String always) throws Exception {
        String script = "case \"$*\" in */proc/*)\n" + first + "\nesac\n" + always;
        tool("grep", script + "\nexec /bin/grep \"$@\"");
        startAnew(grace);
    }

    /** What the guard takes for {@code sh} is a file on its PATH that becomes this shell. */
    void startIn(List<String> shell, Duration grace) throws Exception {
        tool("sh", "exec " + String.join(" ", shell) + " \"$@\"");
        startAnew(grace);
        await().until(() -> isRunningIn(shell));
    }

    private boolean isRunningIn(List<String> shell) throws IOException {
        for (long pid : Processes.mentioning("cmdline", mark)) {
            if (Processes.contents(Path.of("/proc/" + pid + "/cmdline"))
                    .startsWith(String.join("\0", shell) + "\0-c\0")) {
                return true;
            }
        }
        return false;
    }

    private void tool(String name, String script) throws IOException {
        Path tool = Files.writeString(
                Files.createDirectories(dir.resolve("bin")).resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();
    }

    private void startAnew(Duration grace) throws Exception {
        guard.dismiss();
        hear("gone");
        guard = Guard.start(mark, grace, said::add, Map.of("PATH", dir + "/bin:" + System.getenv("PATH")));
    }

    Process readyCommand(String script) throws Exception {
        Process command = command(null, script);
        await().until(() -> Files.exists(dir.resolve("ready")));
        return command;
    }
}
