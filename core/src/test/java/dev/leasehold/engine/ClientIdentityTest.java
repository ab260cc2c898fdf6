package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show when a client gets its id: a process image that is taken before must not hold one. */
class ClientIdentityTest {

    @Test
    @DisplayName("A client that has not used its store has no id that a snapshot could double")
    void anUnusedClientHasNoIdToDouble() throws Exception {
        AtomicInteger drawn = new AtomicInteger();
        Random source = new Random(1);
        RandomGenerator counting = new RandomGenerator() {
            @Override
            public long nextLong() {
                return source.nextLong();
            }

            @Override
            public void nextBytes(byte[] bytes) {
                drawn.incrementAndGet();
                source.nextBytes(bytes);
            }
        };
        try (Leasehold leasehold = Leasehold.builder()
                .store(WrappedStore.memory())
                .random(counting)
                .build()) {
            var lock = leasehold.lock("a");
            var election = leasehold.election("b");
            assertThat(election.isLeader()).isFalse();
            assertThat(drawn).hasValue(0);
            lock.acquire().close();
            lock.acquire().close();
            assertThat(drawn).hasValue(1);
        }
    }

    @Test
    @DisplayName("A check before a snapshot leaves no id and nothing open that the snapshot could double")
    void aCheckDrawsNoIdForTheClient() throws Exception {
        Set<String> ids = new HashSet<>();
        WrappedStore store = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store real, LeaseId lease, Duration keepFor) {
                ids.add(lease.claim().client());
                return super.release(real, lease, keepFor);
            }
        };
        try (Leasehold leasehold = Leasehold.builder().store(store).build()) {
            leasehold.check();
            assertThat(store.closes).hasValue(1);
            leasehold.check();
            leasehold.lock("a").acquire().close();
            assertThat(ids).hasSize(3);
        }
    }

    @Test
    void anIdThatWasDrawnStays() {
        ClientIdentity identity = new ClientIdentity(new Random(1));
        assertThat(identity.get()).hasSize(40).isEqualTo(identity.get());
        assertThat(new ClientIdentity(new Random(2)).get()).isNotEqualTo(identity.get());
    }
}
