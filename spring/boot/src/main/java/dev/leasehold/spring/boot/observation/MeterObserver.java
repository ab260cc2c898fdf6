package dev.leasehold.spring.boot.observation;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import dev.leasehold.spring.internal.NameTemplates;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A meter observer counts events that should not happen often, and how many locks are held and waited for. All meters
 * are there from the start.
 */
final class MeterObserver implements LeaseholdObserver {

    private static final String NO_TEMPLATE = "none";

    private final MeterRegistry registry;
    private final Counter lost;
    private final Counter atRisk;
    private final Counter renewalsFailed;
    private final AtomicLong held;
    private final AtomicLong waiting;
    private final Map<String, AtomicLong> leading;
    private final Map<String, MeterObserver> byTemplate;

    MeterObserver(MeterRegistry registry) {
        this.registry = registry;
        lost = lost(registry, NO_TEMPLATE);
        atRisk = Counter.builder("leasehold.at.risk")
                .description("times that a lease was at risk, since its renewal was late or a clock was in doubt")
                .register(registry);
        renewalsFailed = Counter.builder("leasehold.renewals.failed")
                .description("renewals that the store did not answer as it should")
                .register(registry);
        held = registry.gauge("leasehold.held", new AtomicLong());
        waiting = registry.gauge("leasehold.waiting", new AtomicLong());
        leading = new ConcurrentHashMap<>();
        byTemplate = new ConcurrentHashMap<>();
    }

    private MeterObserver(MeterObserver all, String template) {
        registry = all.registry;
        lost = lost(registry, template);
        atRisk = all.atRisk;
        renewalsFailed = all.renewalsFailed;
        held = all.held;
        waiting = all.waiting;
        leading = all.leading;
        byTemplate = all.byTemplate;
    }

    private static Counter lost(MeterRegistry registry, String template) {
        return Counter.builder("leasehold.lost")
                .description("leases that were lost while they were held")
                .tag("template", template)
                .register(registry);
    }

    private AtomicLong leading(LockCall call) {
        return leading.computeIfAbsent(
                call.lock(), office -> registry.gauge("leasehold.leader", Tags.of("office", office), new AtomicLong()));
    }

    @Override
    public LeaseholdObserver asked(LockCall call) {
        waiting.incrementAndGet();
        if (call.kind() == LockCall.Kind.ELECTION) {
            leading(call);
        }
        String template = NameTemplates.current();
        return template == null ? this : byTemplate.computeIfAbsent(template, of -> new MeterObserver(this, of));
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
    public void elected(LockCall call, LockGrant grant) {
        leading(call).set(1);
    }

    @Override
    public void demoted(LockCall call, LockGrant grant, Duration led) {
        leading(call).set(0);
    }

    @Override
    public void released(LockCall call, LockGrant grant, Duration time) {
        held.decrementAndGet();
    }
}
