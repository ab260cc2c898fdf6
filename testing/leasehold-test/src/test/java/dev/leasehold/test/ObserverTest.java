package dev.leasehold.test;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show what an observer learns of the calls of its client, by each road that a call can take. */
class ObserverTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final RecordingObserver observer = new RecordingObserver();
    private final TestLeasehold locks = TestLeasehold.create(LockOptions.defaults(), observer);
    private final DistributedLock lock = locks.leasehold().lock("x");

    @AfterEach
    void close() {
        locks.close();
    }

    private static Duration seconds(int number) {
        return Duration.ofSeconds(number);
    }

    @Test
    void acquiredAndReleased() throws Exception {
        Lease lease = lock.acquire();
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 0 s");
        locks.advance(seconds(5));
        lease.close();
        lease.close();
        lease.release();
        assertThat(observer.told()).containsExactly("released after 5 s");
    }

    @Test
    void aCallSaysWhoAsksForWhatAndHow() throws Exception {
        assertThat(lock.tryAcquire(seconds(3))).isPresent();
        LockCall call = observer.onlyCall();
        assertThat(call.lock()).isEqualTo("x");
        assertThat(call.namespace()).isEmpty();
        assertThat(call.kind()).isEqualTo(LockCall.Kind.WAIT);
        assertThat(call.maxWait()).isEqualTo(seconds(3));
        assertThat(call.client().label()).isEqualTo("under test");
        assertThat(call.client().storeKind()).isEqualTo("memory");
        assertThat(call.client().store()).isEqualTo("memory:");
    }

    @Test
    void theLimitOfACallIsShownAsItCounts() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger unlimited = new AtomicInteger();
        LeaseholdObserver counting = new LeaseholdObserver() {
            @Override
            public LeaseholdObserver asked(LockCall call) {
                tries.addAndGet(
                        call.kind() == LockCall.Kind.TRY && call.maxWait().isZero() ? 1 : 0);
                unlimited.addAndGet(call.maxWait().equals(LockOptions.FOREVER) ? 1 : 0);
                return this;
            }
        };
        try (TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), counting)) {
            DistributedLock seen = other.leasehold().lock("x");
            seen.tryAcquire().orElseThrow().close();
            seen.tryAcquire(seconds(-1)).orElseThrow().close();
            seen.acquire().close();
            seen.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow().close();
        }
        assertThat(tries).hasValue(2);
        assertThat(unlimited).hasValue(2);
    }

    @Test
    void busy() throws Exception {
        locks.holdElsewhere("x");
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(observer.told()).containsExactly("asked TRY x", "busy after 0 s");
        var waiting = lock.tryAcquireAsync(MINUTE);
        locks.advance(seconds(59));
        assertThat(observer.told()).containsExactly("asked WAIT x");
        locks.advance(seconds(1));
        assertThat(observer.told()).containsExactly("busy after 60 s");
        assertThat(waiting).isCompleted();
    }

    @Test
    void acquiredAfterAWait() {
        HeldElsewhere other = locks.holdElsewhere("x");
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        locks.advance(seconds(7));
        other.release();
        locks.advance(Duration.ZERO);
        assertThat(waiting).isCompleted();
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 7 s");
    }

    @Test
    void failed() {
        lock.acquireAsync().join().close();
        observer.told();
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> lock.acquire()))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(observer.told()).containsExactly("asked WAIT x", "failed after 10 s: StoreUnavailableException");
        CompletableFuture<Lease> future = lock.acquireAsync();
        locks.advance(MINUTE);
        assertThat(future).isCompletedExceptionally();
        assertThat(observer.told()).containsExactly("asked WAIT x", "failed after 10 s: StoreUnavailableException");
    }

    @Test
    void withdrawnByACancelledFuture() {
        locks.holdElsewhere("x");
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        locks.advance(seconds(2));
        waiting.cancel(true);
        locks.advance(Duration.ZERO);
        assertThat(observer.told()).containsExactly("asked WAIT x", "withdrawn after 2 s");
    }

    @Test
    void withdrawnByAnInterrupt() throws Exception {
        locks.holdElsewhere("x");
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                lock.acquire().close();
                interrupted.complete(false);
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
        });
        waiting.start();
        locks.awaitWaiters("x", 1);
        locks.advance(seconds(2));
        waiting.interrupt();
        assertThat(interrupted.get(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(observer.told()).containsExactly("asked WAIT x", "withdrawn after 2 s");
    }

    @Test
    void renewals() throws Exception {
        Lease lease = lock.acquire();
        observer.told();
        locks.advance(seconds(11));
        assertThat(observer.told()).containsExactly("renewed");
        lease.extend(MINUTE);
        locks.advance(Duration.ZERO);
        assertThat(observer.told()).containsExactly("renewed");
        lease.close();
    }

    @Test
    void aLateRenewal() throws Exception {
        Lease lease = lock.acquire();
        observer.told();
        locks.storeDown();
        locks.advance(seconds(25));
        assertThat(observer.told())
                .contains("renewal failed", "at risk: AT_RISK")
                .doesNotContain("renewed");
        locks.storeUp();
        locks.advance(seconds(4));
        assertThat(observer.told()).endsWith("renewed late").doesNotContain("lost");
        lease.close();
        assertThat(observer.told()).containsExactly("released after 29 s");
    }

    @Test
    void lostByTheDeadline() throws Exception {
        Lease lease = lock.acquire();
        locks.storeDown();
        observer.told();
        locks.advance(MINUTE);
        List<String> told = observer.told();
        assertThat(told).endsWith("lost after 29 s");
        lease.close();
        locks.advance(MINUTE);
        assertThat(observer.told()).isEmpty();
    }

    @Test
    void lostByABreak() throws Exception {
        Lease lease = lock.acquire();
        locks.advance(seconds(3));
        locks.lose("x");
        lease.close();
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 0 s", "lost after 3 s");
    }

    @Test
    @DisplayName("A release that the store answers with 'was not held' is a loss, told once")
    void lostByTheAnswerToTheRelease() throws Exception {
        Lease lease = lock.acquire();
        locks.storeDown();
        assertThat(locks.anotherClient().breakLock("x", lease.token())).isTrue();
        locks.advance(seconds(2));
        locks.storeUp();
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.release()).isEqualTo(LeaseState.LOST);
        locks.advance(seconds(1));
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 0 s", "lost after 2 s");
    }

    @Test
    void lostWithItsClient() throws Exception {
        RecordingObserver seen = new RecordingObserver();
        TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), seen);
        Lease lease = other.leasehold().lock("x").acquire();
        other.advance(seconds(3));
        other.leasehold().close(Duration.ZERO);
        other.advance(Duration.ZERO);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        other.close();
        assertThat(seen.told()).containsExactly("asked WAIT x", "acquired after 0 s", "lost after 3 s");
    }

    @Test
    void aReleaseThatTheStoreDoesNotAnswer() throws Exception {
        Lease lease = lock.acquire();
        locks.advance(seconds(2));
        observer.told();
        locks.storeDown();
        CompletableFuture<LeaseState> released = lease.releaseAsync();
        locks.advance(MINUTE);
        assertThat(released).isCompletedExceptionally();
        assertThat(observer.told()).containsExactly("released after 2 s");
    }

    @Test
    void handedOver() {
        Lease first = lock.acquireAsync().join();
        CompletableFuture<Lease> second = lock.acquireAsync();
        CompletableFuture<Lease> third = lock.acquireAsync();
        first.releaseAsync();
        locks.advance(Duration.ZERO);
        observer.told();
        second.join().releaseAsync();
        locks.advance(Duration.ZERO);
        assertThat(observer.told()).contains("acquired after 0 s, handed over", "released after 0 s");
        third.join().close();
    }

    @Test
    void theTokenIsThatOfTheLease() throws Exception {
        AtomicInteger same = new AtomicInteger();
        long[] token = {0};
        LeaseholdObserver comparing = new LeaseholdObserver() {
            @Override
            public void acquired(LockCall call, LockGrant grant) {
                token[0] = grant.token();
            }

            @Override
            public void released(LockCall call, LockGrant grant, Duration held) {
                same.addAndGet(grant.token() == token[0] ? 1 : 0);
            }
        };
        try (TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), comparing)) {
            Lease lease = other.leasehold().lock("x").acquire();
            assertThat(token[0]).isEqualTo(lease.token());
            lease.close();
        }
        assertThat(same).hasValue(1);
    }

    @Test
    void aLockThatIsEnteredAgainIsNotAskedForAgain() {
        ReentrantDistributedLock reentrant = locks.leasehold().reentrantLock("x");
        reentrant.lock();
        reentrant.lock();
        reentrant.unlock();
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 0 s");
        reentrant.unlock();
        assertThat(observer.told()).containsExactly("released after 0 s");
    }

    @Test
    void aViewIsSeenByItsNamespace() throws Exception {
        Leasehold view = locks.leasehold().prefixed("eu").prefixed("tenant");
        view.lock("x").acquire().close();
        assertThat(observer.onlyCall().namespace()).isEqualTo("eu:tenant");
        assertThat(observer.onlyCall().lock()).isEqualTo("x");
    }

    @Test
    void aTermOfOffice() {
        var election = locks.leasehold().election("x");
        election.start();
        locks.advance(seconds(5));
        assertThat(observer.told()).containsExactly("asked ELECTION x", "acquired after 0 s", "elected");
        election.resign();
        locks.advance(Duration.ZERO);
        assertThat(observer.told()).startsWith("demoted after 5 s", "released after 5 s");
        election.close();
    }

    @Test
    void aCandidateThatWithdraws() {
        locks.holdElsewhere("x");
        var election = locks.leasehold().election("x");
        election.start();
        locks.advance(seconds(5));
        election.close();
        locks.advance(Duration.ZERO);
        assertThat(observer.told()).containsExactly("asked ELECTION x", "withdrawn after 5 s");
    }

    @Test
    void aTermThatEndsWithItsLease() {
        var election = locks.leasehold().election("x");
        election.start();
        locks.advance(seconds(1));
        locks.lose("x");
        assertThat(observer.told())
                .containsSubsequence("acquired after 0 s", "elected", "demoted after 1 s", "lost after 1 s");
        election.close();
    }

    @Test
    void bodiesAreSeenLikeOtherHolds() throws Exception {
        lock.run(lease -> locks.advance(seconds(1)));
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 0 s", "released after 1 s");
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> stage);
        locks.advance(seconds(2));
        stage.complete("done");
        locks.advance(Duration.ZERO);
        assertThat(result.get()).isEqualTo("done");
        assertThat(observer.told()).containsExactly("asked WAIT x", "acquired after 0 s", "released after 2 s");
    }

    @Test
    void aClosedClientFailsCalls() {
        RecordingObserver seen = new RecordingObserver();
        TestLeasehold other = TestLeasehold.create(LockOptions.defaults(), seen);
        DistributedLock late = other.leasehold().lock("x");
        other.close();
        assertThatThrownBy(() -> late.acquireAsync().get()).isInstanceOf(ExecutionException.class);
        assertThat(seen.told()).containsExactly("asked WAIT x", "failed after 0 s: IllegalStateException");
    }
}
