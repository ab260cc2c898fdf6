package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Busy rules say that a busy lock is an empty result, never an exception, and that nothing is left behind. */
interface BusyRules extends LeaseholdRules {

    @Test
    default void aLockHeldElsewhereIsBusyInEveryForm() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        elsewhere.acquire(name);
        assertBusy(fixture().client().lock(name));
        ClientFixture.eventually("nobody waits", () -> elsewhere.waiters(name).isEmpty());
    }

    @Test
    default void aLockHeldInTheSameProcessIsBusyInEveryForm() throws Exception {
        String name = fixture().lock();
        DistributedLock lock = fixture().client().lock(name);
        try (Lease lease = lock.acquire()) {
            assertBusy(lock);
            lease.ensureValid();
        }
        StoreClient elsewhere = fixture().probe();
        ClientFixture.eventually("it is free", () -> elsewhere.finds(name));
    }

    @Test
    default void aSingleTryDoesNotJoinTheQueue() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        elsewhere.acquire(name);
        DistributedLock lock = fixture().client().lock(name);
        for (int i = 0; i < 5; i++) {
            assertThat(lock.tryAcquire()).isEmpty();
            assertThat(elsewhere.waiters(name)).isEmpty();
        }
    }

    @Test
    default void aSingleTryDoesNotOvertakeTheQueue() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        var theirs = elsewhere.acquire(name).lease();
        elsewhere.join(name);
        elsewhere.release(theirs);
        assertThat(fixture().client().lock(name).tryAcquire()).isEmpty();
    }

    private static void assertBusy(DistributedLock lock) throws Exception {
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lock.tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(lock.tryAcquire(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();
        long start = System.nanoTime();
        assertThat(lock.tryAcquire(Duration.ofMillis(150))).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
        assertThat(ClientFixture.get(lock.tryAcquireAsync(Duration.ofMillis(50))))
                .isEmpty();
        assertThat(ClientFixture.get(lock.tryAcquireAsync(Duration.ZERO))).isEmpty();
    }
}
