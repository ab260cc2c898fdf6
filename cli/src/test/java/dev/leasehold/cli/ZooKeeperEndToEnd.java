package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the commands with a real ZooKeeper. */
class ZooKeeperEndToEnd {

    @TempDir
    Path dir;

    private TestingServer zoo;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir, () -> "zookeeper://" + zoo.getConnectString() + "/it");

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

        Program.Run doctor = leasehold.run("doctor");
        assertThat(doctor.status()).as(doctor.err()).isEqualTo(1);
        assertThat(doctor.out()).contains("WARNING  one server alone", "ok       ZooKeeper 3.");
        assertThat(doctor.err()).isEmpty();
    }

    @Test
    void aCommandIsNotEndedBecauseTheSessionIsMuchShorterThanTheLease() throws Exception {
        String brief = "zookeeper://" + zoo.getConnectString() + "/it?leasehold.sessionTimeout=6000";
        Program.Run run = leasehold.run("run", "--store", brief, "brief", "sh", "-c", "sleep 9; echo done");
        assertThat(run.succeeded().out().strip()).isEqualTo("done");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void anEnsembleThatCannotBeReachedIsNotABusyLock() throws Exception {
        String soon = "zookeeper://127.0.0.1:1?leasehold.storeTimeout=1000";
        leasehold.run("run", "-n", "--store", soon, "demo", "touch", "ran").failed(69, "zookeeper://127.0.0.1:1");
        leasehold.run("doctor", "--store", soon).failed(69, "zookeeper://127.0.0.1:1");
        assertThat(dir.resolve("ran")).doesNotExist();
    }
}
