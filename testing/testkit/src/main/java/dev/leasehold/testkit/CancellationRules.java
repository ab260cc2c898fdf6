package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.testkit.FaultPlan.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Cancellation rules say that every way to complete a future early withdraws its claim, at every step of its way. */
interface CancellationRules extends LeaseholdRules {

    /** Returns the ways to complete a future early. */
    static List<Consumer<CompletableFuture<?>>> ways() {
        return List.of(
                future -> future.cancel(true),
                future -> future.cancel(false),
                // Bound: the wait is ended on purpose.
                future -> future.orTimeout(1, TimeUnit.MILLISECONDS),
                future -> future.completeExceptionally(new IllegalStateException("planted")),
                future -> future.complete(null));
    }

    @Test
    default void aFutureThatEndsEarlyInTheQueueLeavesNothing() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        DistributedLock lock = fixture().client().lock(name);
        for (Consumer<CompletableFuture<?>> way : ways()) {
            CompletableFuture<Lease> waiting = lock.acquireAsync();
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            way.accept(waiting);
            ClientFixture.eventually("it is gone", () -> elsewhere.waiters(name).isEmpty());
            CompletableFuture<Optional<Lease>> trying = lock.tryAcquireAsync(Duration.ofMinutes(1));
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            way.accept(trying);
            ClientFixture.eventually("it is gone", () -> elsewhere.waiters(name).isEmpty());
        }
        elsewhere.release(theirs);
        assertThat(elsewhere.shows(name)).isFalse();
    }

    @Test
    default void aFutureThatEndsBeforeTheStoreAnswersLeavesNothing() throws Exception {
        StoreClient elsewhere = fixture().probe();
        Leasehold client = fixture().client();
        for (Fault fault : new Fault[] {
            Fault.NONE, Fault.DELAY_REQUEST, Fault.DELAY_ANSWER, Fault.LATE, Fault.LOSE_ANSWER, Fault.LOSE_REQUEST
        }) {
            String name = fixture().lock();
            fixture().store.plan(FaultPlan.script(Message.CLAIM, fault));
            CompletableFuture<Lease> acquiring =
                    client.lock(name, ClientFixture.LASTING).acquireAsync();
            if (!acquiring.cancel(true)) {
                ClientFixture.get(acquiring).close();
            }
            assertNothingLeft(elsewhere, name, fault);
        }
    }

    @Test
    @DisplayName("A future that ends while the lock is handed over leaves nothing")
    default void aFutureThatEndsDuringAHandOverLeavesNothing() throws Exception {
        StoreClient elsewhere = fixture().probe();
        Leasehold client = fixture().client();
        for (int i = 0; i < 30; i++) {
            String name = fixture().lock();
            LeaseId theirs = elsewhere.acquire(name).lease();
            CompletableFuture<Lease> waiting =
                    client.lock(name, ClientFixture.LASTING).acquireAsync();
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            long delay = i * 20L;
            CompletableFuture<Boolean> cancelled = fixture().inThread(() -> {
                LockSupport.parkNanos(delay * 1_000);
                return waiting.cancel(true);
            });
            elsewhere.release(theirs);
            if (!ClientFixture.get(cancelled)) {
                ClientFixture.get(waiting).close();
            }
            assertNothingLeft(elsewhere, name, Fault.NONE);
        }
    }

    @Test
    default void aFutureThatEndsEarlyDoesNotDelayThoseBehindIt() throws Exception {
        DistributedLock lock = fixture().client().lock(fixture().lock());
        Lease first = lock.acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(lock.acquireAsync());
        }
        for (int i = 0; i < 20; i += 2) {
            waiting.get(i).cancel(true);
        }
        first.close();
        for (int i = 1; i < 20; i += 2) {
            ClientFixture.get(waiting.get(i)).close();
        }
    }

    @Test
    default void aWithdrawalWhoseAnswerWasLostIsRepeated() throws Exception {
        for (Fault fault : new Fault[] {Fault.LOSE_REQUEST, Fault.LOSE_ANSWER, Fault.LATE, Fault.UNREACHABLE}) {
            String name = fixture().lock();
            StoreClient elsewhere = fixture().probe();
            elsewhere.acquire(name);
            fixture().store.plan(FaultPlan.script(Message.WITHDRAW, fault, fault));
            CompletableFuture<Lease> waiting = fixture().client().lock(name).acquireAsync();
            ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
            waiting.cancel(true);
            ClientFixture.eventually("it is gone", () -> elsewhere.waiters(name).isEmpty());
        }
    }

    private static void assertNothingLeft(StoreClient elsewhere, String name, Fault fault) throws Exception {
        // A late request may make the lock appear once more: wait until none can be on its way.
        if (fault != Fault.NONE) {
            ClientFixture.pause(FaultPlan.none().delay().multipliedBy(2));
        }
        ClientFixture.eventually("nothing is left after " + fault, () -> !elsewhere.shows(name));
    }
}
