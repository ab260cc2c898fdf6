package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the commands with a real ZooKeeper. */
class ZooKeeperEndToEnd {

    @TempDir
    Path dir;

    private TestingServer zoo;

    @RegisterExtension
    final Program leasehold =
            new Program(() -> dir, () -> "zookeeper://" + zoo.getConnectString() + "/it?" + Program.PATIENT);

    @BeforeEach
    void startServer() throws Exception {
        zoo = new TestingServer();
    }

    @AfterEach
    void stopServer() throws Exception {
        zoo.close();
    }

    @Test
    void locksAreRunListedShownBrokenAndExamined() throws Exception {
        CommonCommands.runListShowAndBreak(leasehold);

        Program.Answer doctor = leasehold.here("doctor");
        assertThat(doctor.status()).as(doctor.err()).isEqualTo(1);
        assertThat(doctor.out()).contains("WARNING  one server alone", "ok       ZooKeeper 3.");
        assertThat(doctor.err()).isEmpty();
    }

    @Test
    @DisplayName("The password comes from a file or the environment and is never shown")
    void thePasswordOfFileOrEnvironmentIsNeverShown() throws Exception {
        String host = zoo.getConnectString() + "/it";
        String app = "zookeeper://app@" + host;
        Path file = Files.writeString(dir.resolve("password"), "s3cret+/%\n");

        leasehold
                .run("run", "--store", app, "--store-password-file", file.toString(), "demo", "true")
                .succeeded();
        leasehold
                .here(Map.of("LEASEHOLD_STORE", "zookeeper://app:s3cret+%2F%25@" + host), "ls")
                .succeeded();
        leasehold
                .here(Map.of("LEASEHOLD_STORE", app, "LEASEHOLD_STORE_PASSWORD", "s3cret+/%"), "ls")
                .succeeded();
        leasehold
                .here(Map.of("LEASEHOLD_STORE", app, "LEASEHOLD_STORE_PASSWORD_FILE", file.toString()), "ls")
                .succeeded();
        leasehold.here("ls").failed(78, "NOAUTH");
        leasehold.here("ls", "--store", app).failed(64, "no password is given beside it");
        leasehold.here("ls", "--store-password-file", file.toString()).failed(64, "names no user");

        Program.Answer wrong =
                leasehold.here(Map.of("LEASEHOLD_STORE", app, "LEASEHOLD_STORE_PASSWORD", "wr0ng"), "ls");
        assertThat(wrong.failed(78, "NOAUTH").err()).doesNotContain("wr0ng");
        Program.Answer twice = leasehold.here(
                Map.of("LEASEHOLD_STORE", "zookeeper://app:s3cret@" + host, "LEASEHOLD_STORE_PASSWORD", "wr0ng"), "ls");
        assertThat(twice.failed(64, "given twice").err()).doesNotContain("s3cret", "wr0ng");
        Program.Answer listed = leasehold.here("ls", "--store", "zookeeper://app:s3cret@" + host);
        assertThat(listed.failed(64, "--store-password-file").err()).doesNotContain("s3cret");
    }

    @Test
    @DisplayName("A command is not ended because the session is much shorter than the lease")
    void aShortSessionDoesNotEndTheCommand() throws Exception {
        String brief = "zookeeper://" + zoo.getConnectString() + "/it?leasehold.sessionTimeout=30000";
        // A grace that fits the lease, not the session, would begin at once.
        Program.Run run = leasehold.run(
                "run", "--store", brief, "--lease", "180", "--grace", "30", "brief", "sh", "-c", "sleep 9; echo done");
        assertThat(run.succeeded().out().strip()).isEqualTo("done");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void anEnsembleThatCannotBeReachedIsNotABusyLock() throws Exception {
        String soon = "zookeeper://127.0.0.1:1?leasehold.storeTimeout=1000";
        leasehold.run("run", "-n", "--store", soon, "demo", "touch", "ran").failed(69, "zookeeper://127.0.0.1:1");
        leasehold.here("doctor", "--store", soon).failed(69, "zookeeper://127.0.0.1:1");
        assertThat(dir.resolve("ran")).doesNotExist();
    }
}
