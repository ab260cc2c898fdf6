package dev.leasehold.spring.integration;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.test.HeldElsewhere;
import dev.leasehold.test.TestLeasehold;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * These tests show what Spring Integration's documentation says of its lock registries; none of its own tests are
 * published.
 */
class LockRegistryTest {

    private final TestLeasehold locks = TestLeasehold.create();
    private final LeaseholdLockRegistry registry = new LeaseholdLockRegistry(locks.leasehold(), "si:");
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        other.shutdownNow();
        locks.close();
    }

    private <T> T elsewhere(Callable<T> call) throws Exception {
        return other.submit(call).get(A_MINUTE, TimeUnit.SECONDS);
    }

    @Test
    void isReentrantAndOwnedByAThread() throws Exception {
        DistributedLock lock = registry.obtain("a");
        lock.lock();
        assertThat(registry.obtain("a").tryLock())
                .as("again, by another object")
                .isTrue();
        assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isFalse();
        lock.unlock();
        assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isFalse();
        lock.unlock();
        assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isTrue();
    }

    /** As the bridge for ShedLock does. */
    @Test
    void aTimeBelowTheShortestLeaseIsTheShortest() throws Exception {
        DistributedLock lock = registry.obtain("a");
        lock.lock(Duration.ofMillis(1));
        registry.renewLock("a", Duration.ofMillis(1));
        locks.advance(Duration.ofMillis(90));
        assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isFalse();
        locks.advance(Duration.ofMillis(20));
        assertThat(elsewhere(() -> registry.obtain("a").tryLock())).isTrue();
    }

    @Test
    void locksOfOneKeyAreEqual() {
        assertThat(registry.obtain("a"))
                .isEqualTo(registry.obtain("a"))
                .hasSameHashCodeAs(registry.obtain("a"))
                .isNotEqualTo(registry.obtain("b"))
                .isNotEqualTo(new LeaseholdLockRegistry(locks.leasehold(), "si:").obtain("a"));
    }

    @Test
    void theNameCanBeRead() throws Exception {
        registry.obtain("invoice-42").lock();
        assertThat(locks.leasehold().locks("*"))
                .singleElement()
                .satisfies(found -> assertThat(found.name()).isEqualTo("si:invoice-42"));
    }

    @Test
    void differentKeysDoNotExcludeEachOther() throws Exception {
        registry.obtain("a").lock();
        assertThat(elsewhere(() -> registry.obtain("b").tryLock())).isTrue();
    }

    @Test
    void aStrangerMayNotUnlock() throws Exception {
        registry.obtain("a").lock();
        assertThatThrownBy(() -> elsewhere(() -> {
                    registry.obtain("a").unlock();
                    return null;
                }))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aTimeToLiveEndsTheLock() throws Exception {
        DistributedLock lock = registry.obtain("a");
        lock.lock(Duration.ofSeconds(10));
        locks.advance(Duration.ofSeconds(9));
        Leasehold another = locks.anotherClient();
        assertThat(another.lock("si:a").tryAcquire()).isEmpty();
        registry.renewLock("a", Duration.ofSeconds(10));
        locks.advance(Duration.ofSeconds(9));
        assertThat(another.lock("si:a").tryAcquire()).isEmpty();
        locks.advance(Duration.ofSeconds(2));
        assertThat(another.lock("si:a").tryAcquire()).isPresent();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void withoutATimeToLiveItIsRenewed() throws Exception {
        registry.obtain("a").lock();
        locks.advance(Duration.ofMinutes(10));
        assertThat(locks.anotherClient().lock("si:a").tryAcquire()).isEmpty();
    }

    @Test
    void tryLockWithATimeToLive() throws Exception {
        assertThat(registry.obtain("a").tryLock(Duration.ZERO, Duration.ofSeconds(5)))
                .isTrue();
        assertThat(elsewhere(() -> registry.obtain("a").tryLock(Duration.ZERO, Duration.ofSeconds(5))))
                .isFalse();
        registry.obtain("a").unlock();
    }

    @Test
    void onlyTheOwnerRenews() {
        assertThatThrownBy(() -> registry.renewLock("a")).isInstanceOf(IllegalStateException.class);
        registry.obtain("a").lock();
        registry.renewLock("a");
    }

    @Test
    void aLostLockIsNeitherRenewedNorTakenFromTheNext() throws Exception {
        DistributedLock lock = registry.obtain("a");
        lock.lock();
        HeldElsewhere next = locks.loseToElsewhere("si:a");
        assertThatThrownBy(() -> registry.renewLock("a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> registry.renewLock("a", Duration.ofMinutes(1)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(locks.anotherClient().lock("si:a").tryAcquire())
                .as("the next one's")
                .isEmpty();
        assertThat(next).isNotNull();
    }

    /** Nobody knew of the loss before it was renewed. */
    @Test
    void aLockThatIsLostWhileItIsRenewedSaysSo() {
        registry.obtain("a").lock(Duration.ofSeconds(2));
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> registry.renewLock("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(LeaseLostException.class);
    }

    /** It was renewed for 30 s, whatever the client's leases last. */
    @Test
    void aRenewalLastsAsLongAsTheClientsLeases() throws Exception {
        try (TestLeasehold brief =
                TestLeasehold.create(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(5)))) {
            LeaseholdLockRegistry of = new LeaseholdLockRegistry(brief.leasehold(), "si:");
            of.obtain("a").lock(Duration.ofSeconds(2));
            of.renewLock("a");
            brief.advance(Duration.ofSeconds(4));
            assertThat(brief.anotherClient().lock("si:a").tryAcquire()).isEmpty();
            brief.advance(Duration.ofSeconds(2));
            assertThat(brief.anotherClient().lock("si:a").tryAcquire()).isPresent();
        }
    }

    @Test
    void runsCodeUnderALock() throws Exception {
        String ran = registry.executeLocked("a", () -> "ran");
        assertThat(ran).isEqualTo("ran");
        locks.holdElsewhere("si:b");
        assertThatThrownBy(() ->
                        locks.whileTimePasses(() -> registry.executeLocked("b", Duration.ofSeconds(1), () -> "ran")))
                .isInstanceOf(TimeoutException.class);
    }
}
