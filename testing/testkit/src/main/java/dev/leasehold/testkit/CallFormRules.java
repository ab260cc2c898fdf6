package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LockBusyException;
import dev.leasehold.spi.LeaseId;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Call form rules concern bodies that run only if the lock is free, and bodies that end with a stage. */
interface CallFormRules extends LeaseholdRules {

    @Test
    default void aTryRunsTheBodyOnlyIfTheLockIsFree() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        StoreClient elsewhere = fixture().probe();
        AtomicBoolean ran = new AtomicBoolean();
        assertThat(lock.<RuntimeException>tryRun(lease -> ran.set(!elsewhere.finds(name))))
                .isTrue();
        assertThat(ran).isTrue();
        assertThat(lock.<Long, RuntimeException>tryCall(Lease::token)).isPresent();
        assertThat(lock.<Long, RuntimeException>tryCall(Duration.ofSeconds(1), Lease::token))
                .isPresent();
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
        LeaseId theirs = elsewhere.acquire(name).lease();
        ran.set(false);
        assertThat(lock.<RuntimeException>tryRun(lease -> ran.set(true))).isFalse();
        assertThat(lock.<Boolean, RuntimeException>tryCall(lease -> ran.getAndSet(true)))
                .isEmpty();
        assertThat(lock.<Boolean, RuntimeException>tryCall(Duration.ofMillis(50), lease -> ran.getAndSet(true)))
                .isEmpty();
        assertThat(ran).isFalse();
        elsewhere.release(theirs);
    }

    @Test
    default void aTryThatReturnsNullHasRunAndReleasesTheLock() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        assertThatThrownBy(() -> lock.tryCall(lease -> nothing())).isInstanceOf(NullPointerException.class);
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @SuppressWarnings("NullAway") // what a caller without a checker may do
    private static String nothing() {
        return null;
    }

    @Test
    default void anAsynchronousBodyHoldsTheLockUntilItsStageEnds() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        StoreClient elsewhere = fixture().probe();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Lease> given = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> {
            given.complete(lease);
            return work;
        });
        Lease held = ClientFixture.get(given);
        assertThat(held.isValid()).isTrue();
        assertThat(elsewhere.finds(name)).isFalse();
        assertThat(result).isNotDone();
        work.complete("done");
        assertThat(ClientFixture.get(result)).isEqualTo("done");
        assertThat(held.isValid()).isFalse();
        assertThat(elsewhere.finds(name)).isTrue();
    }

    @Test
    default void anAsynchronousBodyThatFailsReleasesTheLock() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        StoreClient elsewhere = fixture().probe();
        CompletableFuture<String> failing =
                lock.callAsync(lease -> CompletableFuture.failedFuture(new IOException("planted")));
        assertThatThrownBy(() -> ClientFixture.get(failing))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class);
        CompletableFuture<String> throwing = lock.callOrThrowAsync(Duration.ofSeconds(10), lease -> {
            throw new IOException("planted");
        });
        assertThatThrownBy(() -> ClientFixture.get(throwing)).hasCauseInstanceOf(IOException.class);
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @Test
    default void anAsynchronousBodyIsNotCalledOnABusyLock() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        elsewhere.acquire(name);
        AtomicBoolean called = new AtomicBoolean();
        CompletableFuture<Void> result = fixture()
                .client()
                .lock(name)
                .callOrThrowAsync(Duration.ofMillis(50), lease -> {
                    called.set(true);
                    return CompletableFuture.<Void>completedFuture(null);
                });
        assertThatThrownBy(() -> ClientFixture.get(result))
                .cause()
                .isInstanceOf(LockBusyException.class)
                .hasMessageContaining(name);
        assertThat(called).isFalse();
    }

    @Test
    @DisplayName("A call that is cancelled while it waits leaves nothing in the queue, and its body is not called")
    default void aCallThatIsCancelledWhileItWaitsIsWithdrawn() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        AtomicBoolean called = new AtomicBoolean();
        CompletableFuture<Void> waiting = fixture().client().lock(name).callAsync(lease -> {
            called.set(true);
            return CompletableFuture.<Void>completedFuture(null);
        });
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        waiting.orTimeout(1, TimeUnit.MILLISECONDS); // Bound: the wait is ended on purpose.
        ClientFixture.eventually("it is gone", () -> elsewhere.waiters(name).isEmpty());
        elsewhere.release(theirs);
        assertThat(elsewhere.finds(name)).isTrue();
        assertThat(called).isFalse();
    }

    @Test
    @DisplayName("A call that is cancelled at work holds the lock until its stage has ended, and does not cancel that")
    default void aCallThatIsCancelledAtWorkHoldsUntilItsStageEnds() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        AtomicBoolean begun = new AtomicBoolean();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = fixture().client().lock(name).callAsync(lease -> {
            begun.set(true);
            return work;
        });
        ClientFixture.eventually("it runs", begun::get);
        result.cancel(true);
        assertThat(elsewhere.finds(name)).isFalse();
        assertThat(work).isNotDone();
        work.complete("done");
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @Test
    default void anAsynchronousBodyThatEndsOnALostLeaseFails() throws Exception {
        String name = fixture().lock();
        StoreClient operator = fixture().probe();
        CompletableFuture<Lease> given = new CompletableFuture<>();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = fixture().client().lock(name).callAsync(lease -> {
            given.complete(lease);
            return work;
        });
        Lease held = ClientFixture.get(given);
        operator.breakLease(name, held.token());
        ClientFixture.eventually("it is lost", () -> !held.isValid());
        work.complete("done");
        assertThatThrownBy(() -> ClientFixture.get(result)).hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    default void aStageIsCancelledAtALossIfThatWasAskedFor() throws Exception {
        String name = fixture().lock();
        StoreClient operator = fixture().probe();
        CompletableFuture<Lease> given = new CompletableFuture<>();
        CompletableFuture<String> work = new CompletableFuture<>();
        DistributedLock lock = fixture().client().lock(name, ClientFixture.OPTIONS.withInterruptOnLoss(true));
        CompletableFuture<String> result = lock.callAsync(lease -> {
            given.complete(lease);
            return work;
        });
        Lease held = ClientFixture.get(given);
        operator.breakLease(name, held.token());
        assertThatThrownBy(() -> ClientFixture.get(result)).hasCauseInstanceOf(LeaseLostException.class);
        assertThat(work).isCancelled();
    }
}
