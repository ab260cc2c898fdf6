package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static dev.leasehold.cli.Processes.contents;
import static dev.leasehold.cli.Processes.isRunning;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the commands with a real Redis, and when it fails. */
class RedisEndToEnd {

    /** Ignores SIGTERM, and writes the time again and again. */
    private static final String STUBBORN =
            "trap '' TERM; echo $$ >pid; while :; do cut -d' ' -f1 /proc/uptime >>alive; sleep 0.01; done";

    /** Reads a journal and writes it with one more line; what another writes in between is lost. */
    private static final String COUNT =
            "cat journal >\"journal.$1\"; echo $LEASEHOLD_TOKEN >>\"journal.$1\"; mv \"journal.$1\" journal";

    @TempDir
    Path dir;

    private RedisProcess redis;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir, () -> redis.uri() + "?" + Program.PATIENT);

    @BeforeEach
    void startServer() {
        redis = RedisProcess.start();
    }

    @AfterEach
    void stopServer() {
        redis.close();
    }

    @Test
    void fourProcessesCountExactlyAndTheirTokensIncrease() throws Exception {
        Files.createFile(dir.resolve("journal"));
        List<Program.Run> running = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            for (int process = 0; process < 4; process++) {
                running.add(leasehold.start("run", "demo", "sh", "-c", COUNT, "sh", process + "." + round));
            }
            for (Program.Run run : running) {
                run.succeeded();
                assertThat(run.err()).isEmpty();
            }
        }

        List<Long> tokens =
                contents(dir.resolve("journal")).lines().map(Long::parseLong).toList();
        assertThat(tokens).hasSize(8).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("The command of a killed wrapper has ended before its successor begins")
    void aKilledWrappersCommandEndsBeforeTheNext() throws Exception {
        Program.Run killed = leasehold.start("run", "--lease", "15", "demo", "sh", "-c", STUBBORN);
        long command = Long.parseLong(awaitLine(dir.resolve("pid")));
        killed.signal("KILL");

        assertEndedBefore(leasehold.run("run", "demo", "cut", "-d ", "-f1", "/proc/uptime"), command);
    }

    @Test
    @DisplayName("The command of a stopped wrapper has ended before its successor begins")
    void aStoppedWrappersCommandEndsBeforeTheNext() throws Exception {
        Program.Run stopped = leasehold.start("run", "--lease", "30", "demo", "sh", "-c", STUBBORN);
        long command = Long.parseLong(awaitLine(dir.resolve("pid")));
        Program.Run successor = leasehold.start("run", "demo", "cut", "-d ", "-f1", "/proc/uptime");
        await().until(() -> leasehold.here("show", "--json", "demo").out().contains("\"place\":1"));
        stopped.signal("STOP");

        assertEndedBefore(successor, command);
        stopped.signal("CONT");
        assertThat(stopped.status()).as(stopped.err()).isEqualTo(79);
        assertThat(stopped.err()).contains("ending the command");
    }

    private void assertEndedBefore(Program.Run successor, long command) throws Exception {
        double begin = Double.parseDouble(successor.succeeded().out().strip());
        List<String> signs = contents(dir.resolve("alive")).lines().toList();
        assertThat(isRunning(command)).isFalse();
        assertThat(Double.parseDouble(signs.get(signs.size() - 1))).isLessThan(begin);
    }

    @Test
    void theCommandIsEndedWithinItsLeaseIfTheServerIsKilled() throws Exception {
        String patient = redis.uri() + "?leasehold.storeTimeout=600000";
        Program.Run holder = leasehold.start("run", "--store", patient, "--lease", "10", "demo", "sh", "-c", STUBBORN);
        long command = Long.parseLong(awaitLine(dir.resolve("pid")));
        redis.kill();

        assertThat(holder.status()).as(holder.err()).isEqualTo(79);
        assertThat(holder.err()).contains("ending the command").startsWith("leasehold: ");
        assertThat(holder.err().lines()).hasSize(1);
        assertThat(isRunning(command)).isFalse();
    }

    @Test
    void aServerThatCannotBeReachedIsNotABusyLock() throws Exception {
        String nobody = "redis://localhost:" + Ports.next();
        String soon = nobody + "?leasehold.storeTimeout=1000";
        for (String command : List.of("ls", "show", "break")) {
            leasehold.here(command, "--store", soon, "demo").failed(69, nobody);
        }
        Program.Run never = leasehold.run("run", "-n", "--store", soon, "demo", "touch", "ran");
        assertThat(never.failed(69, "Check that it is running and reachable").out())
                .isEmpty();
        assertThat(dir.resolve("ran")).doesNotExist();
    }

    @Test
    void locksAreRunListedShownAndBroken() throws Exception {
        CommonCommands.runListShowAndBreak(leasehold);
        assertThat(leasehold.here("ls").succeeded().out().lines()).hasSize(1);
    }

    @Test
    void locksOfAClusterAreRunListedShownBrokenAndExamined() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            String uri = "redis-cluster://" + cluster.addresses();
            Map<String, String> there = Map.of("LEASEHOLD_STORE", uri);
            Program.Run holder = leasehold.start(
                    there, List.of("run", "--lease", "20", "c", "sh", "-c", "echo held; exec sleep 300"));
            awaitLine(holder.outFile());
            try (Leasehold client = Leasehold.connect(uri);
                    Lease a = client.lock("a").acquire();
                    Lease b = client.lock("b").acquire()) {
                assertThat(a.isValid() && b.isValid()).isTrue();
                assertThat(leasehold.here(there, "ls").succeeded().out().lines())
                        .hasSize(4);
                assertThat(leasehold
                                .here(there, "show", "--json", "c")
                                .succeeded()
                                .out())
                        .contains("\"pid\":" + holder.process().pid());
                leasehold.here(there, "break", "--yes", "c").succeeded();
                assertThat(holder.status()).isEqualTo(79);
            }
            Program.Answer doctor = leasehold.here(there, "doctor");
            assertThat(doctor.status()).as(doctor.err()).isEqualTo(1);
            assertThat(doctor.out()).contains("all slots have one of 3 masters");
        }
    }

    @Test
    void theDoctorSaysWhatALockIsWorthAndEndsAccordingly() throws Exception {
        Program.Run warned = leasehold.run("doctor");
        assertThat(warned.status()).as(warned.err()).isEqualTo(1);
        assertThat(warned.out())
                .startsWith("redis://localhost:" + redis.port()
                        + "\n\nWARNING  ") // A busy machine is slow, which comes first.
                .contains(
                        "\nWARNING  nothing is kept on disk\n",
                        "note     no replica\n",
                        "ok       Redis 7.0.15\n",
                        "\nA lock here has one holder at a time");
        assertThat(warned.err()).isEmpty();
        redis.commands().configSet("maxmemory", "100mb");
        redis.commands().configSet("maxmemory-policy", "allkeys-lru");
        Program.Answer serious = leasehold.here("doctor", "--json");
        assertThat(serious.status()).isEqualTo(2);
        assertThat(serious.out())
                .startsWith("{\"store\":\"redis://localhost:" + redis.port()
                        + "\",\"worst\":\"serious\",\"verdict\":\"Do not")
                .contains("{\"severity\":\"serious\",\"code\":\"redis-evicts\",\"node\":\"redis://localhost:");
        leasehold.here("doctor", "--store", "sqlite:" + dir.resolve("locks.db")).succeeded();
        leasehold.here("doctor", "--store", "redis://localhost:" + Ports.next()).failed(69, "Check that it is running");
    }

    @Test
    @DisplayName("The password comes from a file or the environment and is never shown")
    void thePasswordOfFileOrEnvironmentIsNeverShown() throws Exception {
        redis.commands().configSet("requirepass", "s3cret+/%");
        redis.commands().auth("s3cret+/%");
        Path file = Files.writeString(dir.resolve("password"), "s3cret+/%\n");
        String default_ = "redis://default@localhost:" + redis.port();

        leasehold
                .run("run", "--store-password-file", file.toString(), "demo", "true")
                .succeeded();
        leasehold
                .here("ls", "--store", default_, "--store-password-file", file.toString())
                .succeeded();
        leasehold.here(Map.of("LEASEHOLD_STORE_PASSWORD", "s3cret+/%"), "ls").succeeded();
        leasehold
                .here(Map.of("LEASEHOLD_STORE_PASSWORD_FILE", file.toString()), "ls")
                .succeeded();
        leasehold.here("ls").failed(78, "put user and password into the URI");

        Program.Answer wrong = leasehold.here(Map.of("LEASEHOLD_STORE_PASSWORD", "wr0ng"), "ls");
        assertThat(wrong.failed(78, "user name or password are wrong").err()).doesNotContain("wr0ng");
        Program.Answer listed = leasehold.here("ls", "--store", "redis://:s3cret@localhost:" + redis.port());
        assertThat(listed.failed(64, "--store-password-file").err()).doesNotContain("s3cret");
    }
}
