package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Acquire rules say that a lock is acquired in every form, with a lease that is valid. */
interface AcquireRules extends LeaseholdRules {

    @Test
    default void acquireGivesAValidLease() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        try (Lease lease = lock.acquire()) {
            assertValid(lease, name);
        }
    }

    @Test
    default void tryAcquireGivesAValidLeaseOfAFreeLock() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        for (Duration wait : new Duration[] {
            Duration.ZERO,
            Duration.ofSeconds(-1),
            Duration.ofMillis(100),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE)
        }) {
            Optional<Lease> lease = lock.tryAcquire(wait);
            assertThat(lease).as("waiting for %s", wait).isPresent();
            assertValid(lease.get(), name);
            lease.get().close();
        }
        Optional<Lease> lease = lock.tryAcquire();
        assertThat(lease).isPresent();
        lease.get().close();
    }

    @Test
    default void theAsynchronousFormsGiveAValidLease() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        Lease lease = ClientFixture.get(lock.acquireAsync());
        assertValid(lease, name);
        lease.close();
        Optional<Lease> tried = ClientFixture.get(lock.tryAcquireAsync(Duration.ofSeconds(1)));
        assertThat(tried).isPresent();
        tried.get().close();
    }

    @Test
    default void acquireWaitsForAHolderElsewhere() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        DistributedLock lock = fixture().client().lock(name);
        CompletableFuture<Lease> sync = fixture().inThread(lock::acquire);
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        assertThat(sync).isNotDone();
        elsewhere.release(theirs);
        try (Lease lease = ClientFixture.get(sync)) {
            assertValid(lease, name);
            assertThat(lease.token()).isGreaterThan(theirs.token());
        }
    }

    @Test
    default void aHugeWaitIsAWaitWithoutLimit() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        CompletableFuture<Optional<Lease>> waiting =
                fixture().client().lock(name).tryAcquireAsync(Duration.ofSeconds(Long.MAX_VALUE));
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        elsewhere.release(theirs);
        assertThat(ClientFixture.get(waiting)).isPresent();
    }

    @Test
    default void acquireWaitsForAHolderInTheSameProcess() throws Exception {
        DistributedLock lock = fixture().client().lock(fixture().lock());
        Lease first = lock.acquire();
        CompletableFuture<Lease> second = lock.acquireAsync();
        CompletableFuture<Lease> third = fixture().inThread(lock::acquire);
        assertThat(second).isNotDone();
        first.close();
        Lease next = ClientFixture.get(second);
        assertThat(next.token()).isGreaterThan(first.token());
        next.close();
        assertThat(ClientFixture.get(third).token()).isGreaterThan(next.token());
    }

    @Test
    default void aLeaseMayBeReleasedByAnotherThread() throws Exception {
        DistributedLock lock = fixture().client().lock(fixture().lock());
        Lease lease = lock.acquire();
        assertThat(ClientFixture.get(fixture().inThread(lease::release))).isEqualTo(LeaseState.RELEASED);
        lock.acquire().close();
    }

    @Test
    default void aWaiterFindsALockWhoseHolderDied() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        elsewhere.acquire(name, StoreClient.SHORT);
        elsewhere.close();
        try (Lease lease = ClientFixture.get(fixture().client().lock(name).acquireAsync())) {
            assertValid(lease, name);
        }
    }

    @Test
    default void aWaiterFindsALockOfWhichTheGrantWasNotSignalled() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        fixture().store.plan(message -> message == FaultPlan.Message.SIGNAL ? Fault.LOSE_REQUEST : Fault.NONE);
        CompletableFuture<Lease> waiting = fixture().client().lock(name).acquireAsync();
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        elsewhere.release(theirs);
        assertValid(ClientFixture.get(waiting), name);
    }

    private static void assertValid(Lease lease, String name) {
        assertThat(lease.name()).isEqualTo(name);
        assertThat(lease.token()).isPositive();
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isBetween(Duration.ofMillis(1), ClientFixture.OPTIONS.leaseDuration());
        assertThat(lease.ended().toCompletableFuture()).isNotDone();
        lease.ensureValid();
    }
}
