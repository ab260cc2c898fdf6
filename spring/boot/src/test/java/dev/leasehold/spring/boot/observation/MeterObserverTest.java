package dev.leasehold.spring.boot.observation;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.test.TestLeasehold;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests show what counters and gauges say, in virtual time. */
class MeterObserverTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final MeterObserver observer = new MeterObserver(meters);
    private final TestLeasehold locks = TestLeasehold.create(LockOptions.defaults(), observer);
    private final DistributedLock lock = locks.leasehold().lock("x");

    @AfterEach
    void close() {
        locks.close();
    }

    private double counted(String name) {
        return meters.get(name).counter().count();
    }

    private double now(String name) {
        return meters.get(name).gauge().value();
    }

    @Test
    void aLateRenewalIsCountedAsFailedAndAtRisk() throws Exception {
        Lease lease = lock.acquire();
        locks.storeDown();
        locks.advance(Duration.ofSeconds(25));
        assertThat(counted("leasehold.renewals.failed")).isPositive();
        assertThat(counted("leasehold.at.risk")).isEqualTo(1);
        assertThat(counted("leasehold.lost")).isZero();
        locks.storeUp();
        locks.advance(Duration.ofSeconds(4));
        lease.close();
        assertThat(now("leasehold.held")).isZero();
        assertThat(counted("leasehold.lost")).isZero();
    }

    @Test
    void aLostLeaseIsCountedOnceAndIsNotHeldAnyMore() throws Exception {
        Lease lease = lock.acquire();
        assertThat(now("leasehold.held")).isEqualTo(1);
        locks.lose("x");
        lease.close();
        assertThat(counted("leasehold.lost")).isEqualTo(1);
        assertThat(now("leasehold.held")).isZero();
    }

    @Test
    void aGaugeSaysWhoLeads() throws Exception {
        try (LeaderElection candidate = locks.leasehold().election("office");
                var other = locks.holdElsewhere("office")) {
            candidate.start();
            // Observers hear of it on a thread of their own.
            await().ignoreExceptionsInstanceOf(MeterNotFoundException.class).until(() -> now("leasehold.leader") == 0);
            locks.awaitWaiters("office", 1);
            other.release();
            locks.whileTimePasses(() -> candidate.awaitLeadership(Duration.ofMinutes(1)));
            await().until(() -> now("leasehold.leader") == 1);
            assertThat(meters.get("leasehold.leader")
                            .tag("office", "office")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            candidate.close();
            await().until(() -> now("leasehold.leader") == 0);
        }
    }

    @Test
    void lossesAreCountedByTemplate() throws Exception {
        Lease lease = lock.acquire();
        locks.lose("x");
        assertThat(lease.isValid()).isFalse();
        assertThat(meters.get("leasehold.lost")
                        .tag("template", "none")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    /** However its wait ends. */
    @Test
    void whoWaitsIsShownUntilItsWaitEnds() throws Exception {
        var other = locks.holdElsewhere("x");
        CompletableFuture<Lease> granted = lock.acquireAsync();
        CompletableFuture<Lease> cancelled = lock.acquireAsync();
        var busy = lock.tryAcquireAsync(Duration.ofSeconds(5));
        locks.advance(Duration.ofSeconds(1));
        assertThat(now("leasehold.waiting")).isEqualTo(3);
        cancelled.cancel(true);
        locks.advance(Duration.ZERO);
        assertThat(now("leasehold.waiting")).as("withdrawn").isEqualTo(2);
        locks.advance(Duration.ofSeconds(5));
        assertThat(busy).isCompletedWithValueMatching(java.util.Optional::isEmpty);
        assertThat(now("leasehold.waiting")).as("busy").isEqualTo(1);
        other.release();
        locks.advance(Duration.ZERO);
        assertThat(now("leasehold.waiting")).as("acquired").isZero();
        assertThat(now("leasehold.held")).isEqualTo(1);
        granted.join().close();
        locks.storeDown();
        assertThatThrownBy(() -> locks.whileTimePasses(() -> lock.acquire()))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(now("leasehold.waiting")).as("failed").isZero();
        assertThat(now("leasehold.held")).isZero();
    }
}
