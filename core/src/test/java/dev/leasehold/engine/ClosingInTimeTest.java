package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseSet;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A client closes within its limit, whatever is under way. Here the store falls silent, and its time-out is so long that a
 * client that waited for it would be noticed.
 */
class ClosingInTimeTest {

    private static final Duration STORE_TIMEOUT = Duration.ofMinutes(10);

    private volatile boolean silent;
    private final CountDownLatch storeMayClose = new CountDownLatch(1);
    private volatile boolean storeClosesSlowly;
    private final WrappedStore store = new WrappedStore() {
        @Override
        public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
            return silent ? new CompletableFuture<>() : super.claim(inner, claim);
        }

        @Override
        CompletionStage<RenewAnswer> renew(Store inner, LeaseId lease, Duration duration) {
            return silent ? new CompletableFuture<>() : super.renew(inner, lease, duration);
        }

        @Override
        public CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
            return silent ? new CompletableFuture<>() : super.release(inner, lease, keepFor);
        }

        @Override
        void close(Store inner) {
            if (storeClosesSlowly) {
                sleepUntil(storeMayClose);
            }
            super.close(inner);
        }
    };

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Leasehold leasehold =
            Leasehold.builder().store(store).storeTimeout(STORE_TIMEOUT).build();

    @AfterEach
    void end() {
        storeMayClose.countDown();
        executor.shutdownNow();
    }

    private static void sleepUntil(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void closes(Leasehold client) throws Exception {
        CompletableFuture.runAsync(client::close, executor).get(A_MINUTE, SECONDS);
        assertThatThrownBy(() -> client.lock("other").tryAcquire()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void thoughAReleaseIsUnderWay() throws Exception {
        Lease lease = leasehold.lock("a").acquire();
        silent = true;
        CompletableFuture<LeaseState> released = lease.releaseAsync();
        closes(leasehold);
        assertThat(released).as("the release goes on").isNotDone();
    }

    @Test
    void thoughAClaimIsUnderWay() throws Exception {
        silent = true;
        CompletableFuture<Lease> waits = leasehold.lock("a").acquireAsync();
        closes(leasehold);
        assertThat(waits).failsWithin(Duration.ofSeconds(A_MINUTE));
    }

    @Test
    void thoughSetsAreUnderWay() throws Exception {
        Lease other = leasehold.lock("b").acquire();
        CompletableFuture<LeaseSet> hasAPart = leasehold.lockAll("a", "b").acquireAsync();
        LeaseSet set = leasehold.lockAll("c", "d").acquire();
        silent = true;
        CompletableFuture<LeaseSet> hasNothing = leasehold.lockAll("e", "f").acquireAsync();
        closes(leasehold);
        assertThat(hasAPart).failsWithin(Duration.ofSeconds(A_MINUTE));
        assertThat(hasNothing).failsWithin(Duration.ofSeconds(A_MINUTE));
        assertThat(set.isValid()).isFalse();
        assertThat(other.isValid()).isFalse();
    }

    @Test
    void thoughElectionsAreUnderWay() throws Exception {
        LeaderElection leads = leasehold.election("a");
        leads.start();
        assertThat(leads.awaitLeadership(Duration.ofSeconds(A_MINUTE))).isPresent();
        CountDownLatch works = new CountDownLatch(1);
        CompletableFuture<Void> worker =
                CompletableFuture.runAsync(() -> campaign(leasehold.election("b"), works), executor);
        works.await();
        silent = true;
        leasehold.election("c").start();
        CompletableFuture<Void> candidate =
                CompletableFuture.runAsync(() -> campaign(leasehold.election("d"), new CountDownLatch(1)), executor);
        closes(leasehold);
        assertThat(leads.isLeader()).isFalse();
        assertThat(worker).failsWithin(Duration.ofSeconds(A_MINUTE));
        assertThat(candidate).failsWithin(Duration.ofSeconds(A_MINUTE));
    }

    private static void campaign(LeaderElection election, CountDownLatch works) {
        try {
            election.run(lease -> {
                works.countDown();
                new CountDownLatch(1).await();
            });
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void thoughALeaseRanOutWhileItWasHeld() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(500));
        Lease lease = leasehold.lock("a", brief).acquire();
        silent = true;
        await().until(() -> lease.state() == LeaseState.LOST);
        closes(leasehold);
    }

    @Test
    void thoughTheUsersExecutorIsGone() throws Exception {
        ExecutorService users = Executors.newSingleThreadExecutor();
        try (Leasehold client = Leasehold.builder()
                .store(store)
                .storeTimeout(STORE_TIMEOUT)
                .executor(users)
                .build()) {
            CompletableFuture<Lease> lease = client.lock("a").acquireAsync();
            CompletableFuture<Lease> waits = client.lock("a").acquireAsync();
            lease.get(A_MINUTE, SECONDS);
            users.shutdownNow();
            silent = true;
            closes(client);
            assertThat(waits).failsWithin(Duration.ofSeconds(A_MINUTE));
        }
    }

    @Test
    void thoughTheStoreTakesLongToClose() throws Exception {
        storeClosesSlowly = true;
        closes(leasehold);
        CompletableFuture<?> closed = leasehold.closeAsync();
        assertThat(closed).isNotDone();
        storeMayClose.countDown();
        closed.get(A_MINUTE, SECONDS);
    }

    @Test
    void thoughAllCallbacksBlock() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(16);
        for (int i = 0; i < 20; i++) {
            Lease lease = leasehold.lock("a" + i).acquire();
            lease.addListener((which, state) -> {
                blocked.countDown();
                sleepUntil(goOn);
            });
            lease.close();
        }
        blocked.await();
        leasehold.closeAsync().get(A_MINUTE, SECONDS);
        goOn.countDown();
    }
}
