package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests show what a test can say of code that waits, pauses, loses, and shares. */
class TimePassesTest {

    private final TestLeasehold locks = TestLeasehold.create();
    private final DistributedLock lock = locks.leasehold().lock("x");

    @AfterEach
    void close() {
        locks.close();
    }

    private Duration now() {
        return Duration.ofNanos(locks.time().nanos());
    }

    @Test
    void codeThatWaitsForALockHeldElsewhereEndsByItself() throws Exception {
        locks.holdElsewhere("x");
        boolean ran = locks.whileTimePasses(() -> lock.tryRun(Duration.ofMillis(50), lease -> {}));
        assertThat(ran).isFalse();
        assertThat(now()).isBetween(Duration.ofMillis(50), Duration.ofMinutes(1));
    }

    @Test
    void codeThatWaitsForAnHourTakesSeconds() throws Exception {
        locks.holdElsewhere("x");
        assertThat(locks.whileTimePasses(() -> lock.tryAcquire(Duration.ofHours(1))))
                .isEmpty();
        assertThat(now()).isGreaterThanOrEqualTo(Duration.ofHours(1));
    }

    @Test
    void timeStandsStillAfterwardsAndWithoutAWaiter() throws Exception {
        locks.whileTimePasses(() -> lock.run(lease -> {}));
        locks.holdElsewhere("x");
        locks.whileTimePasses(() -> lock.tryAcquire(Duration.ofSeconds(1)));
        Duration after = now();
        // Bound: nothing may happen in this time, and load only makes it longer.
        long end = System.nanoTime() + Duration.ofMillis(50).toNanos();
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        assertThat(now()).isEqualTo(after);
    }

    @Test
    void whatTheCodeThrowsComesOut() {
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> lock.acquire()))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aPauseLongerThanTheLeaseLosesIt() throws Exception {
        Lease lease = lock.acquire();
        List<LeaseState> told = new CopyOnWriteArrayList<>();
        lease.addListener((which, state) -> told.add(state));
        Instant before = Instant.EPOCH.plusNanos(locks.time().now().wallMicros() * 1_000);
        locks.pause(Duration.ofMinutes(10));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(told).containsExactly(LeaseState.LOST);
        assertThat(Instant.EPOCH.plusNanos(locks.time().now().wallMicros() * 1_000))
                .isEqualTo(before.plus(Duration.ofMinutes(10)));
    }

    @Test
    void aShortPauseLosesNothing() throws Exception {
        Lease lease = lock.acquire();
        locks.pause(Duration.ofSeconds(25));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void whileTheProcessIsPausedSomebodyElseTakesTheLock() throws Exception {
        AtomicReference<HeldElsewhere> other = new AtomicReference<>();
        assertThatThrownBy(() -> lock.run(lease -> {
                    locks.pause(Duration.ofMinutes(1), () -> other.set(locks.holdElsewhere("x")));
                    assertThat(lease.isValid()).isFalse();
                    assertThat(other.get().token()).isGreaterThan(lease.token());
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(locks.isHeldHere("x")).isFalse();
    }

    @Test
    void aPauseIsNotNegative() {
        assertThatThrownBy(() -> locks.pause(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLockIsLostToSomebodyElse() throws Exception {
        Lease lease = lock.acquire();
        HeldElsewhere other = locks.loseToElsewhere("x");
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(other.token()).isGreaterThan(lease.token());
        assertThat(lock.tryAcquire()).isEmpty();
    }

    @Test
    void aLockThatSomebodyWaitsForIsNotLostToAnother() throws Exception {
        Lease lease = lock.acquire();
        Leasehold another = locks.anotherClient();
        CompletableFuture<Lease> waiting = another.lock("x").acquireAsync();
        assertThatThrownBy(() -> locks.loseToElsewhere("x"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'x'");
        assertThat(lease.isValid()).isTrue();
        locks.lose("x");
        assertThat(waiting).isCompleted();
    }

    @Test
    void twoClientsExcludeEachOther() throws Exception {
        DistributedLock others = locks.anotherClient().lock("x");
        Lease theirs = others.acquire();
        assertThat(locks.isHeldHere("x")).isFalse();
        assertThatThrownBy(() -> locks.lose("x")).isInstanceOf(IllegalStateException.class);
        assertThat(lock.tryAcquire()).isEmpty();
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        locks.storeDown();
        theirs.close();
        locks.storeUp();
        locks.advance(Duration.ofSeconds(6));
        assertThat(waiting).isCompleted();
        assertThat(locks.isHeldHere("x")).isTrue();
    }

    @Test
    void threadsThatWaitAreWaitedFor() throws Exception {
        HeldElsewhere other = locks.holdElsewhere("x");
        List<Thread> threads = new ArrayList<>();
        for (Leasehold each : List.of(locks.leasehold(), locks.anotherClient())) {
            Thread thread = new Thread(() -> {
                try {
                    each.lock("x").acquire().close();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            threads.add(thread);
            thread.start();
        }
        locks.awaitWaiters("x", 2);
        assertThat(locks.waiters("x")).isEqualTo(2);
        other.release();
        for (Thread thread : threads) {
            locks.whileTimePasses(() -> thread.join());
        }
    }

    @Test
    void aClaimWhoseAnswerIsLostIsTakenBack() throws Exception {
        locks.loseAnswers();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> lock.acquire()))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(StoreUnavailableException.Outcome.UNKNOWN));
        locks.storeUp();
        locks.advance(Duration.ofMinutes(1));
        assertThat(locks.isHeldHere("x")).isFalse();
        locks.holdElsewhere("x");
    }

    @Test
    void aReleaseWhoseAnswerIsLostIsRepeated() throws Exception {
        Lease lease = lock.acquire();
        locks.loseAnswers();
        CompletableFuture<LeaseState> released = lease.releaseAsync().toCompletableFuture();
        locks.advance(Duration.ofSeconds(1));
        locks.holdElsewhere("x").release();
        locks.storeUp();
        locks.advance(Duration.ofSeconds(10));
        assertThat(released).isCompletedWithValue(LeaseState.RELEASED);
    }
}
