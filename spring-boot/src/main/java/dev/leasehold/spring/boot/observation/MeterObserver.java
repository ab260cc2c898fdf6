package dev.leasehold.spring.boot.observation;

import dev.leasehold.LeaseState;
import dev.leasehold.LeaseholdObserver;
import dev.leasehold.LockCall;
import dev.leasehold.LockException;
import dev.leasehold.LockGrant;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A meter observer counts events that should not happen often, and how many locks are held and waited for. All meters
 * are there from the start.
 */
final class MeterObserver implements LeaseholdObserver {

    private final Counter lost;
    private final Counter atRisk;
    private final Counter renewalsFailed;
    private final AtomicLong held;
    private final AtomicLong waiting;

    MeterObserver(MeterRegistry registry) {
        lost = Counter.builder("leasehold.lost")
                .description("leases that were lost while they were held")
                .register(registry);
        atRisk = Counter.builder("leasehold.at.risk")
                .description("times that a lease was at risk, since its renewal was late or a clock was in doubt")
                .register(registry);
        renewalsFailed = Counter.builder("leasehold.renewals.failed")
                .description("renewals that the store did not answer as it should")
                .register(registry);
        held = registry.gauge("leasehold.held", new AtomicLong());
        waiting = registry.gauge("leasehold.waiting", new AtomicLong());
    }

    @Override
    public LeaseholdObserver asked(LockCall call) {
        waiting.incrementAndGet();
        return this;
    }

    @Override
    public void acquired(LockCall call, LockGrant grant) {
        waiting.decrementAndGet();
        held.incrementAndGet();
    }

    @Override
    public void busy(LockCall call, Duration waited) {
        waiting.decrementAndGet();
    }

    @Override
    public void failed(LockCall call, Duration waited, Throwable failure) {
        waiting.decrementAndGet();
    }

    @Override
    public void withdrawn(LockCall call, Duration waited) {
        waiting.decrementAndGet();
    }

    @Override
    public void renewalFailed(LockCall call, LockGrant grant, Duration took, LockException failure) {
        renewalsFailed.increment();
    }

    @Override
    public void atRisk(LockCall call, LockGrant grant, LeaseState state) {
        atRisk.increment();
    }

    @Override
    public void lost(LockCall call, LockGrant grant, Duration time) {
        held.decrementAndGet();
        lost.increment();
    }

    @Override
    public void released(LockCall call, LockGrant grant, Duration time) {
        held.decrementAndGet();
    }
}
