package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about {@code leasehold run} while nothing goes wrong with the lock. */
class RunEndToEnd {

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @Test
    void theCommandHasOurStreamsAndItsStatusIsPassedOn() throws Exception {
        Program.Run run = leasehold.run("run", "demo", "--", "sh", "-c", "cat; echo oops >&2; exit 7");

        assertThat(run.status()).isEqualTo(7);
        assertThat(run.out()).isEqualTo("input");
        assertThat(run.err()).isEqualTo("oops\n");
    }

    @Test
    void theEndsOfShells() throws Exception {
        assertThat(leasehold.run("run", "demo", "sh", "-c", "kill -9 $$").status())
                .isEqualTo(137);
        leasehold.run("run", "demo", "no-such-command").failed(127, "leasehold: no-such-command: not found");
        assertThat(leasehold.run("run", "demo", "head", "-c", "1").out()).isEqualTo("i");
    }

    @Test
    void theCommandSeesNameAndTokenAndTheTokenGrows() throws Exception {
        String script = "printf '%s %s' \"$LEASEHOLD_NAME\" $LEASEHOLD_TOKEN";
        String first = leasehold.run("run", "a b", "sh", "-c", script).out();
        String second = leasehold.run("run", "a b", "sh", "-c", script).out();

        assertThat(first).startsWith("a b ");
        assertThat(Long.parseLong(second.substring(4))).isGreaterThan(Long.parseLong(first.substring(4)));
    }

    /** Under cron's locale, where a JVM reads every letter beyond ASCII as the same. */
    @Test
    void namesAndArgumentsAreBytesInEveryLocale() throws Exception {
        List<String> names = List.of("../../etc/passwd' OR 1=1; --", "-n{a}%s\\😀éline\n");
        for (String name : names) {
            List<String> line = List.of(
                    "run",
                    "--",
                    name,
                    "--",
                    "sh",
                    "-c",
                    "printf '%s|%s' \"$LEASEHOLD_NAME\" \"$1\"",
                    "sh",
                    "é\n😀\\%\n");
            assertThat(leasehold.start(Map.of("LC_ALL", "C"), line).succeeded().out())
                    .isEqualTo(name + "|é\n😀\\%\n");
        }
        leasehold.hold("é");
        assertThat(leasehold
                        .start(Map.of("LC_ALL", "C"), List.of("run", "-n", "à", "true"))
                        .status())
                .isZero();
        assertThat(leasehold
                        .start(Map.of("LC_ALL", "C"), List.of("run", "-n", "é", "true"))
                        .status())
                .isEqualTo(75);
    }

    @Test
    void badInputIsRefusedWithAClearAnswer() throws Exception {
        leasehold.run("lsx").failed(64, "unknown command 'lsx'; there are run, ls, show, break, doctor, quorum");
        assertThat(leasehold
                        .run("run", "--wait", "999999999999999d", "demo", "true")
                        .status())
                .isZero();
        assertThat(leasehold.here("run", "--help").succeeded().out()).contains("75", "69", "79", "64");
    }

    @Test
    void aBusyLockIsNotWaitedForLongerThanAsked() throws Exception {
        leasehold.hold("demo");

        leasehold
                .run("run", "-n", "demo", "true")
                .failed(75, "held by somebody else; the command was not run. See: leasehold show demo\n");
        leasehold
                .run("run", "-v", "-n", "demo", "true")
                .failed(75, "held by pid " + ProcessHandle.current().pid() + " on ");
        leasehold.run("run", "--wait", "300ms", "demo", "true").failed(75, "still after 300 ms");
        assertThat(leasehold.run("run", "-n", "-E", "9", "demo", "true").status())
                .isEqualTo(9);
    }

    @Test
    @DisplayName("The lock is released when the command has ended, and its waiter gets it")
    void theLockIsReleasedWhenTheCommandHasEnded() throws Exception {
        Program.Run holder = leasehold.start("run", "demo", "sh", "-c", "echo held; exec sleep 300");
        awaitLine(holder.outFile());
        Program.Run waiter = leasehold.start("run", "-v", "demo", "echo", "my turn");
        String told = awaitLine(waiter.errFile());
        holder.signal("TERM");

        assertThat(told)
                .matches("leasehold: waiting for the lock 'demo', held by pid "
                        + holder.process().pid()
                        + " on \\S+ \\(sh -c echo held; exec sleep 300\\) since .*; place 1 of 1 in the queue");
        assertThat(waiter.succeeded().out()).isEqualTo("my turn\n");
        assertThat(holder.status()).isEqualTo(143);
    }

    @Test
    @DisplayName("Signals are passed on and the lock is kept until the command has ended")
    void signalsArePassedOnAndTheLockIsKept() throws Exception {
        String traps = "for s in HUP INT USR1 USR2 WINCH TERM; do trap \"echo got $s\" $s; done; ";
        Program.Run run = leasehold.start(
                "run", "demo", "sh", "-c", traps + "echo ready; while ! [ -e end ]; do sleep 0.05; done; exit 3");
        awaitLine(run.outFile());
        String said = "ready\n";
        for (String signal : List.of("HUP", "INT", "USR1", "USR2", "WINCH", "TERM")) {
            if (Processes.isIgnored(signal)) {
                continue;
            }
            run.signal(signal);
            said += "got " + signal + "\n";
            Processes.await().alias(signal).until(run::out, said::equals);
            leasehold.here("show", "demo").succeeded();
        }
        Files.createFile(dir.resolve("end"));

        assertThat(run.status()).isEqualTo(3);
        assertThat(leasehold.here("show", "demo").status())
                .as("nobody holds it")
                .isEqualTo(1);
    }

    @Test
    void asWaiterItLeavesTheQueueWhenItIsTerminated() throws Exception {
        leasehold.hold("demo");
        Program.Run waiter =
                leasehold.start("run", "-v", "demo", "touch", dir.resolve("ran").toString());
        awaitLine(waiter.errFile());
        waiter.signal("TERM");

        assertThat(waiter.status()).isEqualTo(143);
        assertThat(leasehold.here("show", "--json", "demo").out()).contains("\"waiters\":[]");
        assertThat(dir.resolve("ran")).doesNotExist();
    }

    @Test
    void minHoldKeepsTheLockAfterAQuickCommand() throws Exception {
        leasehold.run("run", "--min-hold", "60", "demo", "true").succeeded();

        leasehold.run("run", "-n", "demo", "true").failed(75, "held by somebody else");
        assertThat(leasehold.here("ls").out()).contains("kept");
    }

    @Test
    void minHoldKeepsNothingWhereNothingWasRun() throws Exception {
        assertThat(leasehold
                        .run("run", "--min-hold", "60", "demo", "no-such-command")
                        .status())
                .isEqualTo(127);
        assertThat(leasehold
                        .run("run", "-n", "--min-hold", "60", "demo", dir.toString())
                        .status())
                .isEqualTo(126);
        assertThat(leasehold
                        .run("run", "-n", "--min-hold", "60", "demo", "sh", "-c", "exit 127")
                        .status())
                .isEqualTo(127);

        leasehold.run("run", "-n", "demo", "true").failed(75, "held by somebody else");
    }

    @Test
    void aStoreThatFailsIsNotABusyLock() throws Exception {
        Path noDatabase =
                Files.writeString(dir.resolve("text"), "this is no database, but long enough to look at".repeat(30));
        String slow = leasehold.store() + "?leasehold.storeTimeout=700";
        leasehold.hold("demo").close();

        leasehold.run("run", "--store", "sqlite:" + noDatabase, "demo", "true").failed(78, noDatabase.toString());
        assertThat(noDatabase).content().startsWith("this is no database");
        leasehold
                .run("run", "--store", "sqlite:" + noDatabase + "/locks.db", "demo", "true")
                .failed(78, "cannot be created");
        try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + dir.resolve("locks.db"));
                var statement = connection.createStatement()) {
            statement.execute("begin exclusive");
            leasehold.run("run", "--store", slow, "demo", "true").failed(69, "locks.db");
            leasehold.here("ls").succeeded();
        }
    }

    @Test
    void lookingAtAStoreThatIsNotThereYetMakesNoFile() throws Exception {
        leasehold.here("ls").succeeded();
        assertThat(leasehold.here("show", "demo").status())
                .as("nobody holds it")
                .isEqualTo(1);
        leasehold.here("break", "demo").failed(1, "nobody holds the lock 'demo'");

        assertThat(dir.resolve("locks.db")).doesNotExist();
    }

    @Test
    void theDefaultStoreIsTheUsersOwn() throws Exception {
        Path state = dir.resolve("state");
        Program.Ended run = leasehold
                .start(
                        Map.of("LEASEHOLD_STORE", "", "XDG_STATE_HOME", state.toString()),
                        List.of("run", "-v", "demo", "true"))
                .succeeded();
        assertThat(run.err()).contains("this user's own");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("leasehold"))))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("leasehold/locks.db"))))
                .isEqualTo("rw-------");
    }

    @Test
    void nothingIsLeftBehind() throws Exception {
        leasehold.run("run", "demo", "true").succeeded();

        await().until(() -> Processes.guardsIn(dir).isEmpty());
    }

    @Test
    void outputThatCannotBeWrittenIsNoSuccess() throws Exception {
        String message = "leasehold: not all could be written to standard output\n";
        assertThat(shell("$0 ls 2>&1 >/dev/full; echo $?")).isEqualTo(message + "74\n");
        for (String line : List.of("show demo", "doctor", "--help")) {
            StringWriter said = new StringWriter();
            try (PrintWriter full = new PrintWriter(new FileOutputStream("/dev/full"))) {
                Terminal terminal =
                        new Terminal(full, new PrintWriter(said), Map.of("LEASEHOLD_STORE", leasehold.store()));

                assertThat(Main.run(terminal, line.split(" ")))
                        .as(line + ": " + said)
                        .isEqualTo(74);
            }
            assertThat(said).hasToString(message);
        }
    }

    /** The environment is like that of cron, where a JVM takes paths and variables for ASCII. */
    @Test
    void aHomeWithLettersBeyondAsciiIsFoundWithoutALocale() throws Exception {
        String home = Files.createDirectory(dir.resolve("müller")).toString();
        Map<String, String> environment =
                Map.of("LC_ALL", "C", "HOME", home, "LEASEHOLD_STORE", "", "XDG_STATE_HOME", "");
        String out = leasehold
                .start(environment, List.of("run", "demo", "sh", "-c", "echo $LC_ALL $HOME"))
                .succeeded()
                .out();

        assertThat(out).isEqualTo("C " + home + "\n");
        assertThat(leasehold
                        .run("run", "demo", "sh", "-c", "echo ${LC_ALL+set}")
                        .out())
                .isEqualTo(System.getenv("LC_ALL") == null ? "\n" : "set\n");
        assertThat(dir.resolve("müller/.local/state/leasehold/locks.db")).exists();
    }

    @Test
    void aJvmThatCannotStartLeavesStandardOutputAlone() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                "sh", "-c", "ulimit -v 600000; exec \"$1\" run demo true", "sh", Program.LAUNCHER.toString());
        builder.environment().put("LEASEHOLD_BUILD", "never");
        Process starved = builder.start();

        assertThat(starved.getInputStream().readAllBytes()).isEmpty();
        assertThat(new String(starved.getErrorStream().readAllBytes())).isNotEmpty();
        assertThat(starved.waitFor()).isEqualTo(1);
    }

    private String shell(String script) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", script, Program.LAUNCHER.toString())
                .directory(dir.toFile())
                .redirectErrorStream(true);
        builder.environment().put("LEASEHOLD_STORE", leasehold.store());
        builder.environment().put("LEASEHOLD_BUILD", "never");
        return new String(builder.start().getInputStream().readAllBytes());
    }

    @Test
    void theCommandHasTheOtherDescriptorsToo() throws Exception {
        assertThat(shell("exec 3>>log; echo a >&3; $0 run demo sh -c 'echo b >&3'; echo c >&3; cat log"))
                .isEqualTo("a\nb\nc\n");
        assertThat(shell("$0 run demo sh -c 'echo a >&3; echo b >&3' 3>log2; cat log2"))
                .isEqualTo("a\nb\n");
        assertThat(shell("$0 run demo cat <(echo x) <(echo y)")).isEqualTo("x\ny\n");
        assertThat(shell("printf '1\\n2\\n' >in; { read a <&5; $0 run demo sh -c 'cat <&5'; } 5<in"))
                .isEqualTo("2\n");
        assertThat(shell("{ $0 run demo sh -c 'echo z >&4' 4>&1 >/dev/null; } | cat"))
                .isEqualTo("z\n");
        assertThat(shell("$0 run demo sh -c 'ls /proc/$$/fd'")).isEqualTo("0\n1\n2\n");
    }

    /** A JVM opens its modules in the place of what is closed. */
    @Test
    void whatIsClosedIsNoFileOfTheJvm() throws Exception {
        assertThat(shell("$0 run demo sh -c 'readlink /proc/$$/fd/0; head -c 9' <&-"))
                .startsWith("/dev/null\n")
                .contains("Bad file descriptor");
        assertThat(shell("$0 run demo sh -c '[ /proc/$$/fd/1 -ef /dev/null ] && echo null >&2; echo x' >&-"))
                .startsWith("null\n")
                .doesNotContain("x\n");
        assertThat(shell("$0 ls >&-; echo $?")).endsWith("74\n");
        assertThat(shell("$0 run demo sh -c '[ /proc/$$/fd/2 -ef /dev/null ] && echo null; echo x >&2; echo y' 2>&-"))
                .isEqualTo("null\ny\n");
        // What is said is said into no file that has taken its place, such as that of the locks.
        assertThat(shell("$0 run demo no-such-tool 2>&-; echo $?; $0 run demo echo z 2>&-; $0 ls"))
                .startsWith("127\nz\n")
                .hasLineCount(3);
    }

    @Test
    void aRunWithinARunOfTheSameNameDoesNotWaitInSilence() throws Exception {
        String inner = "exec " + Program.LAUNCHER + " run -w 3 demo true";
        Program.Run outer = leasehold.run("run", "demo", "sh", "-c", inner);

        assertThat(outer.status()).isEqualTo(75);
        assertThat(outer.err()).contains("held by the very run that this one is part of");
    }

    /** An application may have a namespace; a message that says "nobody" must not hide that. */
    @Test
    void aNamespaceIsAskedForAndNamed() throws Exception {
        try (Leasehold prod = Leasehold.connect(leasehold.store() + "?leasehold.namespace=prod");
                Lease held = prod.lock("demo").acquire()) {
            assertThat(held.isValid()).isTrue();

            assertThat(leasehold.here("show", "demo").out())
                    .isEqualTo("Nobody holds the lock 'demo' without a namespace, or waits for it. "
                            + "Locks of an application that has a namespace: --namespace NAME.\n");
            assertThat(leasehold
                            .here("show", "--namespace", "prod", "demo")
                            .succeeded()
                            .out())
                    .startsWith("NAMESPACE  NAME  ROLE")
                    .contains("\nprod       demo  holder");
            assertThat(leasehold.here("ls", "--namespace", "test").succeeded().out())
                    .startsWith("NAMESPACE  NAME")
                    .hasLineCount(1);
            leasehold
                    .run("run", "-n", "--namespace", "prod", "demo", "true")
                    .failed(75, "See: leasehold show --namespace prod demo\n");
            leasehold.here("ls", "--namespace", "a b").failed(64, "namespace must be");
            leasehold
                    .here("ls", "--namespace", "a", "--store", leasehold.store() + "?leasehold.namespace=b")
                    .failed(64, "given twice");
        }
    }

    @Test
    void aFileHasNoPassword() throws Exception {
        Program.Answer run =
                leasehold.here(Map.of("LEASEHOLD_STORE_PASSWORD", "s3cret"), "run", "demo", "touch", "ran");
        assertThat(run.failed(64, "leasehold.password").err()).doesNotContain("s3cret");
    }
}
