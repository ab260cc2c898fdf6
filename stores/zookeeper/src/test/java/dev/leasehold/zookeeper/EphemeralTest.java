package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** This test is about what a client that crashes leaves behind: nothing that outlives its session. */
@Tag("slow")
class EphemeralTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    @Test
    void holdersAndWaitersNodesGoWithTheirSession() throws Exception {
        try (RealTime time = new RealTime();
                Store store = Zoo.store("127.0.0.1:" + ZOO.get().port(), 30_000)
                        .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(20), new NoSignals()))) {
            assertThat(claim(store, 1)).isInstanceOf(ClaimAnswer.Granted.class);
            assertThat(claim(store, 2)).isInstanceOf(ClaimAnswer.Busy.class);

            String lock = OneServer.LOCKS + "ephemeral";
            List<String> nodes = ZOO.get().probe.getChildren(lock, false);
            assertThat(nodes).hasSize(2);
            for (String node : nodes) {
                assertThat(ZOO.get().probe.exists(lock + '/' + node, false).getEphemeralOwner())
                        .as("the session of " + node)
                        .isNotZero();
            }
        }
    }

    private static ClaimAnswer claim(Store store, int number) throws Exception {
        return store.claim(new Claim(new ClaimId("c", number), "ephemeral", Duration.ofSeconds(20), 0, true))
                .toCompletableFuture()
                .get(A_MINUTE, TimeUnit.SECONDS);
    }
}
