package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TestLeaseholdTest {

    private final TestLeasehold locks = TestLeasehold.create();
    private final DistributedLock lock = locks.leasehold().lock("x");

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void aLockHeldElsewhereIsBusyUntilItIsReleased() throws Exception {
        HeldElsewhere other = locks.holdElsewhere("x");
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(locks.isHeldHere("x")).isFalse();
        other.release();
        other.release();
        Lease lease = lock.tryAcquire().orElseThrow();
        assertThat(lease.token()).isGreaterThan(other.token());
        assertThat(locks.isHeldHere("x")).isTrue();
    }

    @Test
    @DisplayName("A waiting caller is served when the lock is released elsewhere")
    void aReleaseElsewhereServesAWaitingCaller() throws Exception {
        try (HeldElsewhere other = locks.holdElsewhere("x")) {
            CompletableFuture<Lease> waiting = lock.acquireAsync();
            assertThat(locks.waiters("x")).isEqualTo(1);
            other.release();
            locks.advance(Duration.ZERO);
            assertThat(waiting).isCompleted();
        }
    }

    @Test
    void aWaitEndsInVirtualTime() {
        locks.holdElsewhere("x");
        CompletableFuture<Optional<Lease>> waiting = lock.tryAcquireAsync(Duration.ofHours(1));
        locks.advance(Duration.ofMinutes(59));
        assertThat(waiting).isNotDone();
        locks.advance(Duration.ofMinutes(1));
        assertThat(waiting).isCompletedWithValue(Optional.empty());
        assertThat(locks.waiters("x")).isZero();
    }

    @Test
    void aLockHeldElsewhereStaysSoHoweverLong() throws Exception {
        locks.holdElsewhere("x");
        locks.advance(Duration.ofDays(10_000));
        assertThat(lock.tryAcquire()).isEmpty();
    }

    @Test
    void aLockWhoseHolderDiedElsewhereIsFreeAfterItsLease() {
        HeldElsewhere other = locks.holdElsewhere("x");
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        other.crash();
        locks.advance(Duration.ofSeconds(29));
        assertThat(waiting).isNotDone();
        locks.advance(Duration.ofSeconds(2));
        assertThat(waiting).isCompleted();
    }

    @Test
    void aLockThatIsHeldCannotBeHeldElsewhere() throws Exception {
        Lease lease = lock.acquire();
        assertThatThrownBy(() -> locks.holdElsewhere("x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'x'");
        lease.ensureValid();
    }

    @Test
    void aLostLockIsLostAndItsListenersHaveBeenTold() throws Exception {
        Lease lease = lock.acquire();
        List<LeaseState> told = new CopyOnWriteArrayList<>();
        lease.addListener((which, state) -> told.add(state));
        CompletableFuture<LeaseState> ended = lease.ended().toCompletableFuture();
        locks.lose("x");
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(told).containsExactly(LeaseState.LOST);
        assertThat(ended).isCompletedWithValue(LeaseState.LOST);
        locks.holdElsewhere("x");
    }

    @Test
    void onlyWhatIsHeldHereCanBeLost() {
        assertThatThrownBy(() -> locks.lose("x")).isInstanceOf(IllegalStateException.class);
        locks.holdElsewhere("x");
        assertThatThrownBy(() -> locks.lose("x")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aHeldLockIsRenewedAsTimePasses() throws Exception {
        Lease lease = lock.acquire();
        for (int i = 0; i < 100; i++) {
            locks.advance(Duration.ofSeconds(15));
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        }
    }

    @Test
    void anUnreachableStoreMakesALeaseARiskAndThenALoss() throws Exception {
        Lease lease = lock.acquire();
        List<LeaseState> told = new CopyOnWriteArrayList<>();
        lease.addListener((which, state) -> told.add(state));
        locks.storeDown();
        locks.advance(Duration.ofSeconds(25));
        assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);
        assertThatThrownBy(() -> locks.lose("x")).isInstanceOf(IllegalStateException.class);
        locks.advance(Duration.ofSeconds(5));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(told).containsExactly(LeaseState.AT_RISK, LeaseState.LOST);
    }

    @Test
    void anUnreachableStoreThatComesBackInTimeIsNoLoss() throws Exception {
        Lease lease = lock.acquire();
        locks.storeDown();
        locks.advance(Duration.ofSeconds(25));
        locks.storeUp();
        locks.advance(Duration.ofSeconds(20));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void anUnreachableStoreIsAFailureAfterTheStoreTimeout() {
        locks.storeDown();
        CompletableFuture<Lease> acquiring = lock.acquireAsync();
        locks.advance(Duration.ofSeconds(9));
        assertThat(acquiring).isNotDone();
        locks.advance(Duration.ofSeconds(2));
        assertThat(acquiring)
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    @DisplayName("A suspended machine makes a lease unconfirmed until it is renewed")
    void aSuspendedMachineMakesALeaseUnconfirmed() throws Exception {
        Lease lease = lock.acquire();
        locks.time().suspend(Duration.ofMinutes(10));
        assertThat(lease.isValid()).isFalse();
        locks.advance(Duration.ofSeconds(11));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aListenerThatWaitsForALockHangsNothing() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Long> again = new CompletableFuture<>();
        lease.addListener((which, state) -> {
            try (Lease next = lock.acquire()) {
                again.complete(next.token());
            } catch (InterruptedException e) {
                again.completeExceptionally(e);
            }
        });
        locks.lose("x");
        locks.advance(Duration.ofSeconds(1));
        assertThat(again).succeedsWithin(Duration.ofSeconds(5));
    }
}
