package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about the command as process 1, as it is in a container, where namespaces can be had. */
class FirstProcessEndToEnd {

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @BeforeEach
    void namespacesCanBeHad() throws Exception {
        Program.assumeStarts(Program.FIRST);
    }

    /** Each renewal left a zombie, 8,640 a day, and a container can have so many processes only. */
    @Test
    void whatEndsWithoutAParentIsCollected() throws Exception {
        String orphan = "cat; orphan=$(sleep 0.1 >/dev/null & echo $!); i=0;"
                + " while [ -e /proc/$orphan ] && [ $i -lt 150 ]; do sleep 0.1; i=$((i + 1)); done; [ ! -e /proc/$orphan ] || exit 3; exit 5";
        Program.Run run = leasehold.startAsFirst("run", "demo", "sh", "-c", orphan);

        assertThat(run.status()).as(run.err()).isEqualTo(5);
        assertThat(run.out()).isEqualTo("input");
    }

    @Test
    void signalsAndStatusArePassedOn() throws Exception {
        String traps = "for s in HUP INT USR1 USR2; do trap \"echo $s\" $s; done; trap 'exit 7' TERM; ";
        Program.Run run =
                leasehold.startAsFirst("run", "demo", "sh", "-c", traps + "echo ready; while :; do sleep 0.1; done");
        awaitLine(run.outFile());
        String said = "ready\n";
        for (String signal : List.of("HUP", "INT", "USR1", "USR2", "TERM")) {
            if (Processes.isIgnored(signal)) {
                continue;
            }
            Processes.signal(
                    signal, run.process().children().findFirst().orElseThrow().pid());
            if (!signal.equals("TERM")) {
                said += signal + "\n";
                await().alias(signal).until(run::out, said::equals);
            }
        }

        assertThat(run.status()).as(run.err()).isEqualTo(7);
    }

    /** The guard as well, where a /proc shows its user only what is that user's own, or forbids to look at the rest. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void hiddenProcessesOfOthersDoNotMatter(int hidepid) throws Exception {
        List<String> hiding = List.of(
                "unshare",
                "--pid",
                "--mount",
                "--fork",
                "--kill-child",
                "sh",
                "-c",
                "mount -t proc -o hidepid=" + hidepid + " proc /proc || exit; sleep 300 >/dev/null 2>&1 &"
                        + " export HIDDEN=$!; exec setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace \"$@\"",
                "sh");
        Program.assumeStarts(hiding);
        Path ready = dir.resolve("ready");
        String stubborn = "trap '' TERM; setsid sleep 300 & readlink /proc/$HIDDEN/exe && exit; echo >" + ready
                + "; while :; do sleep 0.1; done";
        Program.Run run =
                leasehold.start(hiding, Map.of(), List.of("run", "--lease", "6", "demo", "sh", "-c", stubborn));
        await().until(() -> Files.exists(ready));
        assertThat(commandOf(run)).hasSizeGreaterThanOrEqualTo(2);
        ProcessHandle wrapper = run.process()
                .descendants()
                .filter(process -> process.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow();
        Processes.signal("STOP", wrapper.pid());

        await().until(() -> commandOf(run).isEmpty());
        assertThat(wrapper.isAlive()).isTrue();
    }

    private static List<Long> commandOf(Program.Run run) throws IOException {
        List<Long> ours = Processes.mentioning("environ", "LEASEHOLD_NAME=demo");
        return run.process()
                .descendants()
                .map(ProcessHandle::pid)
                .filter(ours::contains)
                .toList();
    }
}
