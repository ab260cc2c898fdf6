package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the leader of a real ensemble. */
@Tag("slow")
class LeaderTest {

    @TempDir
    private Path directory;

    @Test
    void theLeaderIsKilledAndAnotherLeads() throws Exception {
        Plan plan = new Plan(
                Peer.LEASEHOLD,
                StoreKind.ZOOKEEPER,
                Fault.LEADER_KILL,
                Duration.ZERO,
                Duration.ofMillis(500),
                0,
                1,
                Worker.Kind.CAREFUL,
                Duration.ofSeconds(1),
                directory);
        try (StoreUnderTest ensemble = ZooKeeperUnderTest.start(directory, Fault.LEADER_KILL);
                History history = History.open(directory, "battery")) {
            int first = ensemble.leader();
            ensemble.kill(first);
            int second = ensemble.leader();
            assertThat(second).isNotEqualTo(first);
            ensemble.restart(first, true);
            ensemble.awaitServing();
            assertThat(ensemble.leader())
                    .as("one that comes back does not lead")
                    .isEqualTo(second);

            new Nemesis(plan, ensemble, null, history, new Random(1)).strike();
            List<Disturbance> struck = Disturbance.of(History.read(directory));
            assertThat(struck).hasSize(1).allSatisfy(blow -> {
                assertThat(blow.target()).isEqualTo("servers [" + second + "]");
                assertThat(blow.fault()).isEqualTo("leader-kill");
                assertThat(blow.to()).isLessThan(Long.MAX_VALUE);
            });
            assertThat(ensemble.leader()).isBetween(0, 2);
        }
    }

    @Test
    void onlyAnEnsembleHasALeader() {
        assertThat(Arrays.stream(StoreKind.values())
                        .filter(kind -> kind.faults().contains(Fault.LEADER_KILL)))
                .containsExactly(StoreKind.ZOOKEEPER);
        assertThatThrownBy(() -> new SqliteUnderTest(directory).leader())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(Promises.of(Peer.LEASEHOLD, StoreKind.ZOOKEEPER, Fault.LEADER_KILL))
                .isEqualTo(Promise.EXCLUDED);
    }
}
