package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Thread lock rules concern the lock that belongs to a thread. */
@SuppressWarnings("LockNotBeforeTry") // What is tested is lock and unlock themselves.
interface ThreadLockRules extends LeaseholdRules {

    @Test
    default void itsOwnerMayAcquireItAgainAndKeepsTheToken() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        ReentrantDistributedLock lock = fixture().client().reentrantLock(name);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        lock.lock();
        long token = lock.lease().token();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(lock.holdCount()).isEqualTo(4);
        assertThat(lock.lease().token()).isEqualTo(token);
        assertThat(lock.name()).isEqualTo(name);
        for (int i = 0; i < 4; i++) {
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(elsewhere.finds(name)).isFalse();
            lock.unlock();
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.holdCount()).isZero();
        ClientFixture.eventually("it is free", () -> !elsewhere.shows(name));
    }

    @Test
    default void twoObjectsForOneNameOfOneClientAreOneLock() {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        client.reentrantLock(name).lock();
        assertThat(client.reentrantLock(name).isHeldByCurrentThread()).isTrue();
        assertThat(client.reentrantLock(name).tryLock()).isTrue();
        client.reentrantLock(name).unlock();
        client.reentrantLock(name).unlock();
        assertThat(fixture().client().reentrantLock(name).isHeldByCurrentThread())
                .isFalse();
    }

    @Test
    default void anotherThreadNeitherHoldsItNorMayUnlockIt() throws Exception {
        ReentrantDistributedLock lock =
                fixture().client().reentrantLock(fixture().lock());
        lock.lock();
        ClientFixture.get(fixture().inThread(() -> {
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThat(lock.holdCount()).isZero();
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            assertThatThrownBy(lock::lease).isInstanceOf(IllegalMonitorStateException.class);
            return true;
        }));
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    default void theNextThreadHasItAfterTheLastUnlock() throws Exception {
        ReentrantDistributedLock lock =
                fixture().client().reentrantLock(fixture().lock());
        lock.lock();
        lock.lock();
        CompletableFuture<Boolean> other = fixture().inThread(() -> {
            lock.lock();
            boolean held = lock.isHeldByCurrentThread();
            lock.unlock();
            return held;
        });
        lock.unlock();
        ClientFixture.pause(Duration.ofMillis(50));
        assertThat(other).isNotDone();
        lock.unlock();
        assertThat(ClientFixture.get(other)).isTrue();
    }

    @Test
    default void afterALossUnlockThrowsAndSaysWhy() {
        String name = fixture().lock();
        ReentrantDistributedLock lock = fixture().client().reentrantLock(name);
        lock.lock();
        lock.lock();
        fixture().probe().breakLease(name, lock.lease().token());
        ClientFixture.eventually("it is lost", () -> !lock.isHeldByCurrentThread());
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.holdCount()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(lock::unlock)
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasCauseInstanceOf(LeaseLostException.class);
        }
        assertThat(lock.holdCount()).isZero();
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    default void aBreakWhileItsOwnerReentersIsToldAndCounted() throws Exception {
        String name = fixture().lock();
        ReentrantDistributedLock lock = fixture().client().reentrantLock(name);
        CompletableFuture<Long> acquired = new CompletableFuture<>();
        CompletableFuture<Long> again = fixture().inThread(() -> {
            lock.lock();
            acquired.complete(lock.lease().token());
            try {
                while (true) {
                    lock.lock();
                    lock.unlock();
                }
            } catch (LeaseLostException | IllegalMonitorStateException lost) {
                assertThat(lock.isHeldByCurrentThread()).isFalse();
                assertThat(lock.holdCount()).isEqualTo(1);
            }
            assertThatThrownBy(lock::unlock).hasCauseInstanceOf(LeaseLostException.class);
            lock.lock();
            try {
                return lock.lease().token();
            } finally {
                lock.unlock();
            }
        });
        long token = ClientFixture.get(acquired);
        fixture().probe().breakLease(name, token);
        assertThat(ClientFixture.get(again)).isGreaterThan(token);
    }

    @Test
    default void lockKeepsAnInterruptAndLockInterruptiblyEndsWithIt() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        ReentrantDistributedLock lock = fixture().client().reentrantLock(name);
        CompletableFuture<Boolean> uninterruptible = fixture().inThread(() -> {
            lock.lock();
            boolean interrupted = Thread.currentThread().isInterrupted();
            lock.unlock();
            return interrupted;
        });
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        fixture().newestThread().interrupt();
        CompletableFuture<?> interruptible = fixture().inThread(() -> {
            lock.lockInterruptibly();
            return true;
        });
        fixture().newestThread().interrupt();
        assertThatThrownBy(() -> ClientFixture.get(interruptible))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(uninterruptible).isNotDone();
        elsewhere.release(theirs);
        assertThat(ClientFixture.get(uninterruptible)).isTrue();
    }

    @Test
    default void anUnreachableStoreIsAFailureAndNoBusyLock() {
        fixture().store.plan(FaultPlan.always(Fault.UNREACHABLE));
        ReentrantDistributedLock lock =
                fixture().clientWithShortTimeout().reentrantLock(fixture().lock());
        assertThatThrownBy(lock::lock).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        assertThat(lock.holdCount()).isZero();
    }

    @Test
    default void aLockWhoseOwnerThreadHasEndedRunsOut() throws Exception {
        String name = fixture().lock();
        ReentrantDistributedLock lock = fixture().client().reentrantLock(name, ClientFixture.BRIEF);
        ClientFixture.get(fixture().inThread(() -> {
            lock.lock();
            return true;
        }));
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it has run out", () -> elsewhere.finds(name));
    }

    @Test
    default void conditionsAreNotSupported() {
        assertThatThrownBy(
                        () -> fixture().client().reentrantLock(fixture().lock()).newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
