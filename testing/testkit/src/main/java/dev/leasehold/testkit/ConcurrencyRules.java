package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ReleaseAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Concurrency rules are the same rules with everybody at once. */
interface ConcurrencyRules extends StoreRules {

    int CLIENTS = 4;
    int ROUNDS = 25;

    /** A fast store does more rounds than that, or its clients would hardly meet. */
    long LEAST_NANOS = 300_000_000;

    @Test
    default void oneAtATimeHoldsALockThatManyWant() throws Exception {
        String lock = fixture().lock();
        AtomicInteger inside = new AtomicInteger();
        AtomicLong lastToken = new AtomicLong();
        AtomicInteger grants = new AtomicInteger();
        together(client -> {
            long start = System.nanoTime();
            for (int i = 0; i < ROUNDS || System.nanoTime() - start < LEAST_NANOS; i++) {
                ClaimAnswer.Granted grant = waitFor(client, lock);
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                long before = lastToken.getAndSet(grant.lease().token() + grant.spare());
                assertThat(grant.lease().token()).isGreaterThan(before);
                grants.incrementAndGet();
                inside.decrementAndGet();
                assertThat(client.release(grant.lease())).isEqualTo(ReleaseAnswer.RELEASED);
            }
        });
        assertThat(grants.get()).isGreaterThanOrEqualTo(CLIENTS * ROUNDS);
        assertThat(fixture().client().shows(lock)).isFalse();
    }

    @Test
    default void claimsAndWithdrawalsAtOnceLeaveNothingBehind() throws Exception {
        String lock = fixture().lock();
        together(client -> {
            long start = System.nanoTime();
            for (int i = 0; i < ROUNDS || System.nanoTime() - start < LEAST_NANOS; i++) {
                Claim claim = client.newClaim(lock, StoreClient.LONG, true);
                var asked = client.send(claim);
                client.ask(claim);
                var withdrawn = client.store.withdraw(lock, claim.id());
                answered(asked);
                StoreClient.get(withdrawn);
                client.withdraw(claim);
            }
        });
        assertThat(fixture().client().shows(lock)).isFalse();
    }

    private static ClaimAnswer.Granted waitFor(StoreClient client, String lock) {
        Claim claim = client.newClaim(lock, StoreClient.LONG, true);
        while (true) {
            if (client.ask(claim) instanceof ClaimAnswer.Granted grant) {
                return grant;
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(20));
        }
    }

    /** Work is the run of one client. */
    interface Work {
        void with(StoreClient client) throws Exception;
    }

    private void together(Work work) throws Exception {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            StoreClient client = fixture().client();
            tasks.add(() -> {
                work.with(client);
                return null;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            for (Future<Void> done : threads.invokeAll(tasks)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Waits for the answer to a claim. One that is withdrawn while it is under way may also find that it has failed.
     */
    private static void answered(CompletionStage<ClaimAnswer> claim) {
        try {
            StoreClient.get(claim);
        } catch (StoreUnavailableException e) {
            assertThat(e).hasMessageContaining("lock-");
        }
    }
}
