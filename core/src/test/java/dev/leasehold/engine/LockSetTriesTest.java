package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseSet;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A set asks for all its names before the first answer, and stands in line for none of them. */
class LockSetTriesTest {

    /** Claims are carried out when the test wants it. */
    private static final class Claims extends WrappedStore {

        private final List<Claim> asked = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Void> goOn = new CompletableFuture<>();

        @Override
        public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
            asked.add(claim);
            return goOn.thenCompose(done -> store.claim(claim));
        }
    }

    /** Two tries of a free set that cross: one gets the first name, and the other nothing that it would have to give back. */
    @Test
    void oneOfTwoTriesThatCrossGetsTheSet() throws Exception {
        StoreFactory memory = WrappedStore.memory();
        CompletableFuture<Void> second = new CompletableFuture<>();
        WrappedStore slow = new WrappedStore(memory) {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
                return claim.lock().equals("a") ? store.claim(claim) : second.thenCompose(done -> store.claim(claim));
            }
        };
        CompletableFuture<Void> toldLate = new CompletableFuture<>();
        WrappedStore deaf = new WrappedStore(memory) {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
                CompletionStage<ClaimAnswer> answer = store.claim(claim);
                return claim.lock().equals("a") ? toldLate.thenCompose(done -> answer) : answer;
            }
        };
        try (Leasehold one = Leasehold.builder().store(slow).build();
                Leasehold two = Leasehold.builder().store(deaf).build()) {
            CompletableFuture<Optional<LeaseSet>> first = one.lockAll("a", "b").tryAcquireAsync(Duration.ZERO);
            CompletableFuture<Optional<LeaseSet>> other = two.lockAll("a", "b").tryAcquireAsync(Duration.ZERO);
            second.complete(null);
            Optional<LeaseSet> got = first.get(A_MINUTE, TimeUnit.SECONDS);
            toldLate.complete(null);
            assertThat(other.get(A_MINUTE, TimeUnit.SECONDS)).isEmpty();
            assertThat(got).isPresent();
            got.get().close();
        }
    }

    @Test
    void allNamesAreTriedAtOnceAndUnqueued() throws Exception {
        Claims store = new Claims();
        try (Leasehold client = Leasehold.builder().store(store).build()) {
            CompletableFuture<LeaseSet> set = client.lockAll("c", "a", "b").acquireAsync();
            assertThat(store.asked).extracting(Claim::lock).containsExactly("a", "b", "c");
            assertThat(store.asked).noneMatch(Claim::enqueue);
            store.goOn.complete(null);
            set.get(A_MINUTE, TimeUnit.SECONDS).close();
        }
    }
}
