package dev.leasehold.spring.boot.observation;

import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import dev.leasehold.spring.internal.NameTemplates;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An observation observer makes an observation of each call for a lock and of each hold. Candidates for an office wait
 * for days, and are left out.
 */
final class ObservationObserver implements LeaseholdObserver {

    private static final DefaultLockObservationConvention USUAL = new DefaultLockObservationConvention();

    private final ObservationRegistry registry;
    private final @Nullable LockObservationConvention convention;

    ObservationObserver(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public @Nullable LeaseholdObserver asked(LockCall call) {
        if (registry.isNoop() || call.kind() == LockCall.Kind.ELECTION) {
            return null;
        }
        return new Call(call, NameTemplates.current());
    }

    private Observation begin(LockObservation kind, LockObservationContext context) {
        return kind.observation(convention, USUAL, () -> context, registry);
    }

    /** A call is one whose hold has the same parent as its acquisition. */
    private final class Call implements LeaseholdObserver {

        private final String template;
        private final CallKeys keys;
        private final LockObservationContext asking;
        private final Observation acquisition;
        private volatile @Nullable LockObservationContext holding;
        private volatile @Nullable Observation hold;

        Call(LockCall call, @Nullable String template) {
            this.template = template == null ? "none" : template;
            keys = new CallKeys(call.lock());
            asking = new LockObservationContext(LockObservation.ACQUIRE, call, this.template, keys);
            acquisition = begin(LockObservation.ACQUIRE, asking).start();
        }

        @Override
        public void acquired(LockCall call, LockGrant grant) {
            asking.end("acquired", grant);
            acquisition.stop();
            LockObservationContext context = new LockObservationContext(LockObservation.HOLD, call, template, keys);
            context.end("unknown", grant);
            Observation observation = begin(LockObservation.HOLD, context);
            if (asking.getParentObservation() != null) {
                observation.parentObservation((Observation) asking.getParentObservation());
            }
            holding = context;
            hold = observation.start();
        }

        @Override
        public void busy(LockCall call, Duration waited) {
            end("busy");
        }

        @Override
        public void failed(LockCall call, Duration waited, Throwable failure) {
            acquisition.error(failure);
            end("failed");
        }

        @Override
        public void withdrawn(LockCall call, Duration waited) {
            end("withdrawn");
        }

        private void end(String outcome) {
            asking.end(outcome, null);
            acquisition.stop();
        }

        @Override
        public void released(LockCall call, LockGrant grant, Duration held) {
            endHold("released", grant);
        }

        @Override
        public void lost(LockCall call, LockGrant grant, Duration held) {
            endHold("lost", grant);
        }

        private void endHold(String outcome, LockGrant grant) {
            LockObservationContext context = holding;
            Observation observation = hold;
            if (context != null && observation != null) {
                context.end(outcome, grant);
                observation.stop();
            }
        }
    }
}
