package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.testkit.FaultPlan.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Interruption rules say that an interrupt ends a wait, at every step; the lock is not held then, and nothing of the
 * claim stays.
 */
interface InterruptionRules extends LeaseholdRules {

    @Test
    default void anInterruptEndsEveryFormOfWaitingAndLeavesNothing() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        DistributedLock lock = fixture().client().lock(name);
        AtomicBoolean ran = new AtomicBoolean();
        List<Callable<?>> forms = List.of(
                lock::acquire,
                () -> lock.tryAcquire(Duration.ofMinutes(1)),
                () -> lock.call(lease -> ran.getAndSet(true)),
                () -> lock.callOrThrow(Duration.ofMinutes(1), lease -> ran.getAndSet(true)),
                () -> lock.<RuntimeException>tryRun(Duration.ofMinutes(1), lease -> ran.set(true)));
        for (Callable<?> form : forms) {
            CompletableFuture<?> waiting = fixture().inThread(form);
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            fixture().newestThread().interrupt();
            assertThatThrownBy(() -> ClientFixture.get(waiting))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            ClientFixture.eventually("it is gone", () -> elsewhere.waiters(name).isEmpty());
        }
        assertThat(ran).isFalse();
        elsewhere.release(theirs);
        assertThat(elsewhere.shows(name)).isFalse();
    }

    @Test
    default void aThreadThatIsInterruptedBeforehandAcquiresNothing() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        CompletableFuture<Lease> acquiring = fixture().inThread(() -> {
            Thread.currentThread().interrupt();
            return lock.acquire();
        });
        assertThatThrownBy(() -> ClientFixture.get(acquiring)).hasCauseInstanceOf(InterruptedException.class);
        CompletableFuture<?> trying = fixture().inThread(() -> {
            Thread.currentThread().interrupt();
            return lock.tryAcquire();
        });
        assertThatThrownBy(() -> ClientFixture.get(trying)).hasCauseInstanceOf(InterruptedException.class);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("nothing is left", () -> !elsewhere.shows(name));
    }

    @Test
    default void whatAnInterruptedThreadNeverHadIsNotKeptForMinHold() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name, ClientFixture.LASTING.withMinHold(Duration.ofSeconds(30)));
        CompletableFuture<Lease> acquiring = fixture().inThread(() -> {
            Thread.currentThread().interrupt();
            return lock.acquire();
        });
        assertThatThrownBy(() -> ClientFixture.get(acquiring)).hasCauseInstanceOf(InterruptedException.class);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("nothing is left", () -> !elsewhere.shows(name));
    }

    @Test
    default void anInterruptBeforeTheStoreAnswersLeavesNothing() throws Exception {
        StoreClient elsewhere = fixture().probe();
        for (Fault fault : new Fault[] {Fault.DELAY_REQUEST, Fault.DELAY_ANSWER, Fault.LATE, Fault.LOSE_ANSWER}) {
            String name = fixture().lock();
            fixture().store.plan(FaultPlan.script(Message.CLAIM, fault));
            DistributedLock lock = fixture().client().lock(name, ClientFixture.LASTING);
            CompletableFuture<Lease> acquiring = fixture().inThread(lock::acquire);
            Thread thread = fixture().newestThread();
            LockSupport.parkNanos(5_000_000);
            thread.interrupt();
            try {
                ClientFixture.get(acquiring).close();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(InterruptedException.class);
            }
            ClientFixture.pause(FaultPlan.none().delay().multipliedBy(2));
            ClientFixture.eventually("nothing is left after " + fault, () -> !elsewhere.shows(name));
        }
    }

    @Test
    default void anInterruptWhileTheLockIsHandedOverLeavesNothing() throws Exception {
        StoreClient elsewhere = fixture().probe();
        DistributedLock[] locks = new DistributedLock[1];
        for (int i = 0; i < 20; i++) {
            String name = fixture().lock();
            LeaseId theirs = elsewhere.acquire(name).lease();
            locks[0] = fixture().client().lock(name, ClientFixture.LASTING);
            CompletableFuture<Lease> waiting = fixture().inThread(locks[0]::acquire);
            Thread thread = fixture().newestThread();
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            long delay = i * 30L;
            CompletableFuture<Boolean> interrupted = fixture().inThread(() -> {
                LockSupport.parkNanos(delay * 1_000);
                thread.interrupt();
                return true;
            });
            elsewhere.release(theirs);
            ClientFixture.get(interrupted);
            try {
                ClientFixture.get(waiting).close();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(InterruptedException.class);
            }
            ClientFixture.eventually("nothing is left", () -> !elsewhere.shows(name));
        }
    }

    /** As one whose task was cancelled. Its lease lasts for longer than the test: only a release ends it. */
    @Test
    default void anInterruptedHolderGivesBackAndStaysInterrupted() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name, ClientFixture.LASTING);
        ReentrantDistributedLock ofThread = fixture().client().reentrantLock(name, ClientFixture.LASTING);
        StoreClient elsewhere = fixture().probe();
        List<Callable<?>> forms = List.of(
                () -> {
                    try (Lease lease = lock.acquire()) {
                        Thread.currentThread().interrupt();
                        return lease.isValid();
                    }
                },
                () -> lock.call(lease -> {
                    Thread.currentThread().interrupt();
                    return lease.isValid();
                }),
                () -> {
                    ofThread.lock();
                    try {
                        Thread.currentThread().interrupt();
                        return ofThread.isHeldByCurrentThread();
                    } finally {
                        ofThread.unlock();
                    }
                });
        for (Callable<?> form : forms) {
            CompletableFuture<Boolean> interrupted = fixture().inThread(() -> {
                assertThat(form.call()).isEqualTo(true);
                return Thread.currentThread().isInterrupted();
            });
            assertThat(ClientFixture.get(interrupted)).isTrue();
            ClientFixture.eventually("nothing is left", () -> !elsewhere.shows(name));
        }
    }
}
