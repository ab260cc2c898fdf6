package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static dev.leasehold.cli.Processes.contents;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the commands with a quorum of three real masters. */
class QuorumEndToEnd {

    /** Reads a journal and writes it with one more line; what another writes in between is lost. */
    private static final String COUNT =
            "cat journal >\"journal.$1\"; echo $LEASEHOLD_TOKEN >>\"journal.$1\"; mv \"journal.$1\" journal";

    @TempDir
    Path dir;

    private final List<RedisProcess> masters = new ArrayList<>();

    @RegisterExtension
    final Program leasehold = new Program(() -> dir, this::uri);

    @BeforeEach
    void startMasters() {
        for (int i = 0; i < 3; i++) {
            masters.add(RedisProcess.start());
        }
    }

    @AfterEach
    void stopMasters() {
        masters.forEach(RedisProcess::close);
    }

    private String uri() {
        return masters.stream()
                .map(master -> "localhost:" + master.port())
                .collect(Collectors.joining(
                        ",",
                        "redlock://",
                        "?leasehold.nodeTimeout=2s&leasehold.maxLeaseDuration=600s&" + Program.PATIENT));
    }

    @Test
    void aNewQuorumSaysWhatItLacksAndIsOpenedOnce() throws Exception {
        Program.Run early = leasehold.run("run", "-n", "demo", "true");
        early.failed(69, "`leasehold quorum init` opens it at once");
        assertThat(early.err()).containsPattern("a majority will have one in [3-6]\\d\\d s");
        for (RedisProcess master : masters) {
            assertThat(early.err()).containsPattern("redis://localhost:" + master.port() + ": [^;]*no vote");
        }
        Program.Answer muted = leasehold.here("quorum", "status");
        assertThat(muted.status()).as(muted.err()).isEqualTo(1);
        assertThat(muted.out().lines()).hasSize(3).allMatch(line -> line.matches(".*: has no vote for another \\d+ s"));

        // In a session of its own it has no terminal to ask on.
        Program.Run asking = leasehold.startWithoutTerminal("quorum", "init");
        asking.failed(64, "add --yes if you know that none was held or granted lately");
        assertThat(leasehold.here("quorum", "status").status()).isEqualTo(1);

        assertThat(leasehold.here("quorum", "init", "--yes").succeeded().out().lines())
                .containsExactlyElementsOf(masters.stream()
                        .map(master -> "redis://localhost:" + master.port() + ": has its vote now")
                        .toList());
        leasehold.here("quorum", "status").succeeded();
        leasehold.run("run", "-n", "demo", "true").succeeded();
        leasehold.here("quorum", "init", "--yes").failed(78, "it is not new: a master has a vote already");
    }

    @Test
    @DisplayName("A quorum is opened only if all masters answer and only a quorum is")
    void onlyAQuorumIsOpenedAndOnlyIfAllMastersAnswer() throws Exception {
        masters.get(2).kill();
        Program.Answer lacking = leasehold.here("quorum", "init", "--yes");
        lacking.failed(69, "nothing was changed, because all masters have to answer");
        assertThat(lacking.err()).contains("redis://localhost:" + masters.get(2).port() + ": ");
        assertThat(leasehold.here("quorum", "status").status()).isEqualTo(1);

        leasehold
                .here("quorum", "init", "--yes", "--store", masters.get(0).uri())
                .failed(64, "is no quorum of Redis masters");
        leasehold.here("quorum").failed(64, "There are status, init");
        leasehold.here("quorum", "open").failed(64, "open");
    }

    @Test
    void locksAreRunListedShownAndBroken() throws Exception {
        leasehold.here("quorum", "init", "--yes").succeeded();
        Program.Run holder = leasehold.start("run", "--lease", "60", "demo", "sh", "-c", "echo held; exec sleep 300");
        awaitLine(holder.outFile());
        await().until(() ->
                masters.stream().allMatch(master -> master.commands().exists("leasehold:{demo}") == 1));

        leasehold.run("run", "-n", "demo", "true").failed(75, "See: leasehold show demo");
        String pid = "" + holder.process().pid();
        // A master that a busy machine has not connected to within five seconds is told of as such.
        await().untilAsserted(
                        () -> assertThat(leasehold.here("ls", "d*").succeeded().out())
                                .contains("demo", pid)
                                .doesNotContain("agree"));
        masters.get(1).commands().flushall();
        await().untilAsserted(() -> assertThat(
                        leasehold.here("show", "demo").succeeded().out())
                .contains(
                        pid,
                        "\nNot all nodes agree on 'demo':\n  redis://localhost:"
                                + masters.get(1).port() + ": nobody holds it\n"));
        await().untilAsserted(() -> assertThat(
                        leasehold.here("show", "--json", "demo").succeeded().out())
                .contains(
                        "\"pid\":" + pid,
                        "\"disagreement\":[{\"node\":\"redis://localhost:"
                                + masters.get(1).port() + "\",\"answer\":\"nobody holds it\"}]"));
        assertThat(leasehold.here("break", "--yes", "demo").succeeded().err()).contains("is broken");
        assertThat(holder.status()).isEqualTo(79);
        assertThat(leasehold.here("ls").succeeded().out().lines()).hasSize(1);
    }

    @Test
    void processesCountExactlyAlsoWhenAMasterIsKilled() throws Exception {
        leasehold.here("quorum", "init", "--yes").succeeded();
        Files.createFile(dir.resolve("journal"));
        List<Program.Run> running = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int process = 0; process < 2; process++) {
                running.add(leasehold.start("run", "demo", "sh", "-c", COUNT, "sh", process + "." + round));
            }
            if (round == 1) {
                masters.get(0).kill();
            }
            for (Program.Run run : running) {
                run.succeeded();
            }
        }

        List<Long> tokens =
                contents(dir.resolve("journal")).lines().map(Long::parseLong).toList();
        assertThat(tokens).hasSize(6).isSorted().doesNotHaveDuplicates();
    }
}
