package dev.leasehold.battery;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The battery finds the holders and waiters that a run leaves in its store. */
@Tag("slow")
class LeftoversTest {

    private static final String STORE = "memory:leftovers";

    @Test
    void holdersAndWaitersThatAreLeftAreFound() throws Exception {
        try (Leasehold client = Leasehold.connect(STORE);
                Leasehold other = Leasehold.connect(STORE)) {
            assertThat(ClientGroup.leftIn(other)).isEmpty();
            Lease lease = client.lock("battery-mutex").acquire();
            Lease unlooked = client.lock("another").acquire(); // It is none of the run's.
            CompletableFuture<Lease> waiting = other.lock("battery-mutex").acquireAsync();
            await().untilAsserted(() -> assertThat(ClientGroup.leftIn(client))
                    .singleElement()
                    .asString()
                    .contains("battery-mutex", "WaiterInfo"));
            lease.close();
            waiting.join().close();
            unlooked.close();
            assertThat(ClientGroup.leftIn(other)).isEmpty();
        }
    }
}
