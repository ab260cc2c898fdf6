package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.testkit.FaultPlan.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Failure rules say that a failure is an exception, never a busy lock, and that the protected code has not run. */
interface FailureRules extends LeaseholdRules {

    @Test
    default void anUnreachableStoreIsAFailureInEveryForm() {
        fixture().store.plan(FaultPlan.always(Fault.UNREACHABLE));
        assertFails(fixture().clientWithShortTimeout().lock(fixture().lock()), StoreUnavailableException.class);
    }

    @Test
    default void aStoreThatNeverAnswersIsAFailureInEveryForm() {
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        assertFails(fixture().clientWithShortTimeout().lock(fixture().lock()), StoreUnavailableException.class);
    }

    @Test
    default void aStoreThatRefusesIsAFailureInEveryFormAtOnce() {
        fixture().store.plan(FaultPlan.always(Fault.REFUSE));
        long start = System.nanoTime();
        assertFails(fixture().patientClient().lock(fixture().lock()), LockException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ClientFixture.LONGEST_WAIT);
    }

    @Test
    default void aFailureNamesTheStoreAndTheOutcome() {
        fixture().store.plan(FaultPlan.always(Fault.UNREACHABLE));
        DistributedLock lock = fixture().clientWithShortTimeout().lock(fixture().lock());
        assertThatThrownBy(lock::acquire).isInstanceOfSatisfying(StoreUnavailableException.class, failure -> {
            assertThat(failure.node()).isNotEmpty();
            assertThat(failure.outcome()).isNotNull();
            assertThat(failure).hasMessageContaining(fixture().store.toString());
        });
    }

    @Test
    @DisplayName("A store that is unreachable for less than the timeout is no failure")
    default void aStoreAwayForLessThanTheTimeoutIsNoFailure() throws Exception {
        fixture().store.plan(FaultPlan.always(Fault.UNREACHABLE));
        CompletableFuture<Lease> waiting =
                fixture().client().lock(fixture().lock()).acquireAsync();
        ClientFixture.pause(Duration.ofMillis(100));
        fixture().store.plan(FaultPlan.none());
        ClientFixture.get(waiting).ensureValid();
    }

    @Test
    default void anAnswerThatWasLostIsAskedForAgainAndTheLockIsHeld() throws Exception {
        String name = fixture().lock();
        fixture().store.plan(FaultPlan.script(Message.CLAIM, Fault.LOSE_ANSWER));
        StoreClient elsewhere = fixture().probe();
        try (Lease lease = fixture().client().lock(name).acquire()) {
            lease.ensureValid();
            assertThat(elsewhere.finds(name)).isFalse();
        }
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @Test
    default void anUnreachableStoreIsNoBusyLockForATry() {
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        DistributedLock lock = fixture().clientWithShortTimeout().lock(fixture().lock());
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> lock.tryAcquire(Duration.ofMillis(10))).isInstanceOf(StoreUnavailableException.class);
    }

    /** The store has answered once before the outage, since a first answer includes connecting. */
    @Test
    default void anOutageKeepsNobodyForLongerThanItsLimitOrASecond() throws Exception {
        Leasehold client = fixture().patientClient();
        client.lock(fixture().lock()).acquire().close();
        DistributedLock lock = client.lock(fixture().lock());
        for (Fault outage : List.of(Fault.LOSE_REQUEST, Fault.UNREACHABLE)) {
            fixture().store.plan(FaultPlan.always(outage));
            List<ThrowingCallable> forms = List.of(
                    lock::tryAcquire,
                    () -> lock.tryAcquire(Duration.ofMillis(300)),
                    () -> ClientFixture.get(lock.tryAcquireAsync(Duration.ofMillis(300))));
            for (ThrowingCallable form : forms) {
                long start = System.nanoTime();
                assertThatThrownBy(form)
                        .satisfiesAnyOf(
                                e -> assertThat(e).isInstanceOf(StoreUnavailableException.class),
                                e -> assertThat(e).hasCauseInstanceOf(StoreUnavailableException.class));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ClientFixture.LONGEST_WAIT);
            }
        }
    }

    /** A flood is thousands; a busy machine makes fewer. */
    @Test
    default void aFaultMakesNoFloodOfRequests() throws Exception {
        for (Fault fault : Fault.values()) {
            String name = fixture().lock();
            fixture().store.plan(FaultPlan.none());
            fixture().probe().acquire(name, ClientFixture.NEVER);
            Leasehold client = fixture().patientClient();
            CompletableFuture<Lease> waits = client.lock(name).acquireAsync();
            AtomicInteger requests = new AtomicInteger();
            for (Fault each : List.of(fault, Fault.NONE)) {
                fixture().store.plan(message -> {
                    requests.addAndGet(message == Message.SIGNAL ? 0 : 1);
                    return each;
                });
                ClientFixture.pause(Duration.ofMillis(300));
            }
            assertThat(requests).as("requests after %s", fault).hasValueLessThan(40);
            waits.cancel(false);
        }
    }

    @Test
    default void afterAFailureNothingIsLeftInTheStore() {
        String name = fixture().lock();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_ANSWER));
        DistributedLock lock = fixture().clientWithShortTimeout().lock(name);
        assertThatThrownBy(lock::acquire).isInstanceOf(StoreUnavailableException.class);
        fixture().store.plan(FaultPlan.none());
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
        ClientFixture.eventually("nothing is left", () -> !elsewhere.shows(name));
    }

    private static void assertFails(DistributedLock lock, Class<? extends Exception> expected) {
        AtomicBoolean ran = new AtomicBoolean();
        ThrowingCallable[] forms = {
            lock::acquire,
            lock::tryAcquire,
            () -> lock.tryAcquire(Duration.ofMillis(50)),
            () -> lock.run(lease -> ran.set(true)),
            () -> lock.call(lease -> ran.getAndSet(true)),
            () -> lock.callOrThrow(Duration.ofMillis(50), lease -> ran.getAndSet(true)),
            () -> assertThat(lock.<RuntimeException>tryRun(Duration.ofMillis(50), lease -> ran.set(true)))
                    .isNull()
        };
        for (ThrowingCallable form : forms) {
            assertThatThrownBy(form).isInstanceOf(expected);
        }
        assertThatThrownBy(() -> ClientFixture.get(lock.acquireAsync()))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(expected);
        assertThatThrownBy(() -> ClientFixture.get(lock.tryAcquireAsync(Duration.ZERO)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(expected);
        assertThat(ran).isFalse();
    }
}
