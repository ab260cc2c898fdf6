package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A slot moves away and back, with a lock that is held. */
@Tag("slow")
class ReshardingTest {

    /** Returns the port of the master that has the lock's keys, as the cluster has it. */
    private static int masterOf(String lock, StoreUnderTest cluster) {
        String any = cluster.uri().replaceAll("^.*,", "redis://");
        RedisClusterClient client = RedisClusterClient.create(any);
        try {
            return client.getPartitions()
                    .getPartitionBySlot(SlotHash.getSlot("leasehold:{" + lock + "}"))
                    .getUri()
                    .getPort();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void eachLocksSlotMovesAwayAndBackWhileItIsHeld() throws Exception {
        try (StoreUnderTest cluster = new ClusterUnderTest();
                Leasehold client = Leasehold.builder()
                        .uri(cluster.uri())
                        .storeTimeout(Duration.ofSeconds(30))
                        .build()) {
            for (String name : LeaseholdLocks.NAMES) {
                int first = masterOf(name, cluster);
                Lease lease = client.lock(name).acquire();
                move(name, cluster);
                assertThat(masterOf(name, cluster)).isNotEqualTo(first);
                lease.extend(Duration.ofSeconds(40));
                move(name, cluster);
                assertThat(masterOf(name, cluster)).isEqualTo(first);
                assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
                Lease next = client.lock(name).acquire();
                assertThat(next.token()).isGreaterThan(lease.token());
                assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
            }
        }
    }

    private static void move(String name, StoreUnderTest cluster) throws Exception {
        cluster.beginMoving(name, new Random(1));
        cluster.endMoving(name);
    }
}
