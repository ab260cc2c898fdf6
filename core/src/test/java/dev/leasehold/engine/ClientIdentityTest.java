package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.util.Random;
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
    void anIdThatWasDrawnStays() {
        ClientIdentity identity = new ClientIdentity(new Random(1));
        assertThat(identity.get()).hasSize(40).isEqualTo(identity.get());
        assertThat(new ClientIdentity(new Random(2)).get()).isNotEqualTo(identity.get());
    }
}
