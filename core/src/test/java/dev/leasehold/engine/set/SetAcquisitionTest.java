package dev.leasehold.engine.set;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseSet;
import dev.leasehold.Leasehold;
import dev.leasehold.engine.WrappedStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A set that nobody takes any more. */
class SetAcquisitionTest {

    private final Deque<Runnable> callbacks = new ArrayDeque<>();

    /** All names are held by then, and the users' executor has not delivered that yet. */
    @Test
    void aSetThatIsCancelledBeforeItIsDeliveredIsGivenBack() throws Exception {
        try (Leasehold client = Leasehold.builder()
                .store(new WrappedStore())
                .executor(callbacks::add)
                .build()) {
            CompletableFuture<LeaseSet> set = client.lockAll("a", "b").acquireAsync();
            assertThat(client.info("b")).isPresent();
            assertThat(set.cancel(false)).isTrue();
            while (!callbacks.isEmpty()) {
                callbacks.remove().run();
            }
            assertThat(client.info("a")).isEmpty();
            assertThat(client.info("b")).isEmpty();
        }
    }
}
