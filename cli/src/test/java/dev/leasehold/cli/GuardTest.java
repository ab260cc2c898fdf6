package dev.leasehold.cli;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.isRunning;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about the guard and the start of a command by themselves: no lock, no wrapper, times as the test likes. */
@Tag("slow")
class GuardTest extends GuardHarness {

    private static final Duration LONG_GRACE = Duration.ofMinutes(5);

    /** A busy machine took 200 ms to look through all processes, which is longer than the guard of a short lease has. */
    @Test
    void aLookThatDoesNotEndDelaysNoSignal() throws Exception {
        Path busy = dir.resolve("busy");
        startAnew(GRACE, "while [ -e " + busy + " ]; do sleep 0.05; done");
        Process command = readyCommand(STUBBORN);
        guard.watch(in(30_000, 31_000));
        guard.watch(command.pid());
        EndTimes times = in(200, 220);
        guard.watch(times);
        hear("armed", "armed", "armed");
        Files.createFile(busy);

        assertThat(command.waitFor(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(BootClock.now()).isGreaterThanOrEqualTo(times.killAt());
        assertThat(command.exitValue()).isEqualTo(137);
        hear("term");
        assertThat(said).isEmpty();
        Files.delete(busy);
        hear("dead");
    }

    @Test
    void aLaterDeadlineTakesThePlaceOfAnEarlierOne() throws Exception {
        command(null, "exec sleep 300");
        long time = 200;
        EndTimes earlier;
        do {
            earlier = in(time, time);
            guard.watch(earlier);
            guard.watch(in(30_000, 31_000));
            hear("armed", "armed");
            time *= 2;
        } while (BootClock.now() >= earlier.termAt()); // The machine was too busy: the earlier one may have begun.
        long end = earlier.killAt() + 100;
        await().until(() -> BootClock.now() > end);
        guard.sync();
        hear("synced");
    }

    @Test
    void theEndOfThePipeEndsTheCommandAtOnce() throws Exception {
        startAnew(LONG_GRACE, ":");
        Process command = commandThatEndsAtTerm();
        guard.endCommand();
        hear("term", "dead");

        assertThat(command.waitFor()).isEqualTo(4);
    }

    /** A busy machine took the 300 ms of the grace to look whom to send the SIGTERM, and the SIGKILL came with it. */
    @Test
    void theLookBeforeTheTermIsNotTakenFromTheGrace() throws Exception {
        Path slow = Files.createFile(dir.resolve("slow"));
        Path end = dir.resolve("end");
        startAnew(
                Duration.ofSeconds(2),
                "if rm " + slow + " 2>/dev/null; then sleep 2.2; cat /proc/uptime >" + end + "; fi");
        arm();
        Process command = readyCommand(STUBBORN);
        guard.endCommand();
        hear("term", "dead");
        long dead = BootClock.now();

        assertThat(command.waitFor()).isEqualTo(137);
        assertThat(dead).isGreaterThanOrEqualTo(BootClock.parse(Files.readString(end)) + 200);
    }

    @Test
    void aStoppedCommandGetsItsTermToo() throws Exception {
        startAnew(LONG_GRACE, ":");
        Process command = commandThatEndsAtTerm();
        Processes.signal("STOP", command.pid());
        guard.endCommand();

        assertThat(command.waitFor()).isEqualTo(4);
    }

    private Process commandThatEndsAtTerm() throws Exception {
        arm();
        return readyCommand("trap 'sleep .3; exit 4' TERM; echo >\"$1/ready\"; while :; do sleep .05; done");
    }

    @Test
    void aProcessWithACleanEnvironmentIsFoundInTheTree() throws Exception {
        guard.watch(in(30_000, 31_000));
        Process command = command(null, "env -i sh -c 'echo $$ >\"$1/child\"; exec sleep 300' sh \"$1\"; true");
        guard.watch(command.pid());
        long child = Long.parseLong(Processes.awaitLine(dir.resolve("child")));
        guard.endCommand();

        await().until(() -> !isRunning(child));
    }

    /** It cleans its environment, and its parent dies of the SIGTERM that it survives. Ends with the test at the latest. */
    private static final String ORPHAN_WITHOUT_MARK =
            "env -i sh -c 'trap : TERM; echo $$ >\"$1/child\"; for i in $(seq 600); do sleep 0.05; done' sh \"$1\"; :";

    private long orphan() throws Exception {
        Process command = command(null, ORPHAN_WITHOUT_MARK);
        guard.watch(command.pid());
        return Long.parseLong(Processes.awaitLine(dir.resolve("child")));
    }

    @Test
    void whatWasFoundOnceIsKilledThoughItsParentDied() throws Exception {
        arm();
        long child = orphan();
        guard.endCommand();
        hear("armed");
        hear("term", "dead");
        assertThat(isRunning(child)).isFalse();
    }

    @Test
    void aLateRenewalDoesNotReplaceADeadline() throws Exception {
        arm();
        long child = orphan();
        hear("armed");
        guard.watch(in(0, 300));
        hearBoth("armed", "term");
        await().until(() -> started.stream().noneMatch(Process::isAlive));
        guard.watch(in(30_000, 31_000));
        hearBoth("armed", "dead");

        assertThat(isRunning(child)).isFalse();
    }

    @Test
    void theDeathOfTheWrapperDoesNotReplaceABegunDeadline() throws Exception {
        arm();
        long child = orphan();
        hear("armed");
        guard.watch(in(0, 300));
        hearBoth("armed", "term");
        await().until(() -> started.stream().noneMatch(Process::isAlive));
        guard.endCommand();
        hear("dead");

        assertThat(isRunning(child)).isFalse();
    }

    @Test
    void aProcessSeenAtARenewalIsFoundWithoutItsParent() throws Exception {
        arm();
        long child = orphan();
        hear("armed");
        arm();
        started.forEach(Process::destroyForcibly);
        await().until(() -> started.stream().noneMatch(Process::isAlive));
        guard.endCommand();
        hear("term", "dead");

        assertThat(isRunning(child)).isFalse();
    }

    /** A process whose main thread has ended is in state Z, as one that has ended, and seems to have no environment. */
    @Test
    void aProcessWhoseMainThreadHasEndedHasNotEnded() throws Exception {
        assumeTrue(new ProcessBuilder("python3", "--version").start().waitFor() == 0);
        String withoutMainThread = "import ctypes, os, sys, threading, time\n"
                + "threading.Thread(target=lambda: time.sleep(60)).start()\n"
                + "with open(sys.argv[1], 'w') as file: file.write(str(os.getpid()) + '\\n')\n"
                + "ctypes.CDLL(None).pthread_exit(None)\n";
        arm();
        Process command =
                command(null, "setsid python3 -c '" + withoutMainThread.replace("'", "\"") + "' \"$1/child\" & true");
        long child = Long.parseLong(Processes.awaitLine(dir.resolve("child")));
        command.waitFor();
        await().until(() ->
                Processes.contents(Path.of("/proc/" + child + "/stat")).contains(") Z "));
        ProcessTree tree = new ProcessTree(mark, command.toHandle());
        assertThat(tree.isThere()).isTrue();
        guard.endCommand();
        hear("term", "dead");

        assertThat(tree.isThere()).isFalse();
    }

    /** The guard of an earlier test may still be looking for latecomers: the mark tells which one is ours. */
    private void killGuard() throws Exception {
        List<Long> own = Processes.mentioning("cmdline", mark);
        ProcessHandle main = Processes.guardsOf(ProcessHandle.current()).stream()
                .filter(process -> own.contains(process.pid()))
                .findFirst()
                .orElseThrow();
        await().until(() -> main.children().findAny().isPresent());
        main.destroyForcibly();
        await().until(() -> !main.isAlive());
    }

    @Test
    void theTimerOfAKilledGuardDoesNotLiveOn() throws Exception {
        arm();
        killGuard();

        await().until(() -> Processes.mentioning("cmdline", mark).isEmpty());
    }

    @Test
    void theTimerOfAKilledGuardEndsTheCommandThenItself() throws Exception {
        Process command = readyCommand(STUBBORN);
        guard.watch(in(200, 250));
        hear("armed");
        killGuard();

        assertThat(command.waitFor()).isEqualTo(137);
        await().until(() -> Processes.mentioning("cmdline", mark).isEmpty());
    }

    /** Each generation lives for some milliseconds: it has ended before a list of all processes has been read. */
    @Test
    void aProcessThatForksItselfAnewIsCaught() throws Exception {
        assumeTrue(new ProcessBuilder("perl", "-v").start().waitFor() == 0);
        guard.watch(in(30_000, 31_000));
        command(
                null,
                "perl -e 'open F, \">>$ARGV[0]/child\"; $SIG{TERM}=\"IGNORE\"; while (time < $^T + 40) {"
                        + " exit if fork; syswrite F, \"\\n\"; select(undef, undef, undef, 0.003); }' \"$1\"; :");
        Processes.awaitLine(dir.resolve("child"));
        guard.endCommand();
        hear("armed");
        hear("term", "dead");

        long generations = Files.size(dir.resolve("child"));
        await().during(Duration.ofMillis(300)).until(() -> Files.size(dir.resolve("child")) == generations);
    }

    @Test
    void aLatecomerIsFound() throws Exception {
        guard.watch(in(0, 0));
        hearBoth("armed", "dead");
        Process command = command(null, "exec sleep 300");
        hear("term");

        assertThat(command.waitFor()).isEqualTo(137);
    }

    @Test
    void aCommandThatWouldStartTooLateIsNotStarted() throws Exception {
        Process late = command(BootClock.now() - 1, "echo >\"$1/ran\"");
        Process early = command(BootClock.now() + 30_000, "exit 5");

        assertThat(late.waitFor()).isEqualTo(79);
        assertThat(dir.resolve("ran")).doesNotExist();
        assertThat(early.waitFor()).isEqualTo(5);
    }

    @Test
    void itIgnoresWhatItCanAndIsInASessionOfItsOwn() throws Exception {
        Process command = command(null, "exec sleep 300");
        guard.watch(in(400, 450));
        hear("armed");
        List<Long> guards = Processes.mentioning("cmdline", mark);
        for (long pid : guards) {
            for (String signal : List.of("HUP", "INT", "QUIT", "TERM", "TSTP", "USR1", "USR2", "PIPE", "ALRM")) {
                Processes.reaches(signal, pid);
            }
        }
        hear("term");

        assertThat(command.waitFor()).isEqualTo(143);
        assertThat(guards).hasSizeGreaterThanOrEqualTo(2);
        String ownSession = Processes.session(ProcessHandle.current().pid());
        assertThat(ownSession).isNotEmpty();
        assertThat(guards).anyMatch(pid -> !Processes.session(pid).isEmpty());
        for (long pid : Processes.mentioning("cmdline", mark)) {
            assertThat(Processes.session(pid)).isNotEqualTo(ownSession);
        }
    }

    @Test
    void otherCommandsAreLeftAlone() throws Exception {
        Process stranger =
                new Command(List.of("sleep", "300")).start("demo", 1, OptionalInt.empty(), "another-mark", null);
        started.add(stranger);
        guard.watch(in(0, 0));
        hearBoth("armed", "dead");
        guard.sync();
        guard.endCommand();
        await().until(() -> said.contains("gone"));

        assertThat(stranger.isAlive()).isTrue();
    }
}
