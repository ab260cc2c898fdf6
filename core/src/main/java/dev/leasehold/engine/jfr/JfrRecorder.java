package dev.leasehold.engine.jfr;

import dev.leasehold.LockException;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A JFR recorder is that of a runtime that has the flight recorder. */
final class JfrRecorder implements FlightRecording.Recorder {

    // These are never committed: whether a kind of event is on can be asked of any event of the kind.
    private static final LockAcquireEvent ACQUIRE = new LockAcquireEvent();
    private static final LockHoldEvent HOLD = new LockHoldEvent();
    private static final LeaseRenewalEvent RENEWAL = new LeaseRenewalEvent();
    private static final LeaseLostEvent LOST = new LeaseLostEvent();
    private static final LockHandOverEvent HAND_OVER = new LockHandOverEvent();

    @Override
    public boolean isOn() {
        return ACQUIRE.isEnabled()
                || HOLD.isEnabled()
                || RENEWAL.isEnabled()
                || LOST.isEnabled()
                || HAND_OVER.isEnabled();
    }

    @Override
    public LeaseholdObserver asked(LockCall call) {
        return new Recorded();
    }

    /** A recorded call has the events of one call. */
    private static final class Recorded implements LeaseholdObserver {

        private final LockAcquireEvent acquire = new LockAcquireEvent();
        private final LockHoldEvent hold = new LockHoldEvent();

        Recorded() {
            acquire.begin();
        }

        @Override
        public void acquired(LockCall call, LockGrant grant) {
            acquire.granted(grant);
            acquire.handedOver = grant.handedOver();
            outcome(call, "acquired", null);
            if (grant.handedOver()) {
                LockHandOverEvent event = new LockHandOverEvent();
                if (event.shouldCommit()) {
                    event.about(call);
                    event.granted(grant);
                    event.commit();
                }
            }
            hold.begin();
        }

        @Override
        public void busy(LockCall call, Duration waited) {
            outcome(call, "busy", null);
        }

        @Override
        public void failed(LockCall call, Duration waited, Throwable failure) {
            outcome(call, "failed", failure);
        }

        @Override
        public void withdrawn(LockCall call, Duration waited) {
            outcome(call, "withdrawn", null);
        }

        private void outcome(LockCall call, String outcome, @Nullable Throwable failure) {
            acquire.end();
            if (acquire.shouldCommit()) {
                acquire.about(call);
                acquire.kind = call.kind().name();
                acquire.outcome = outcome;
                acquire.failure = failure == null ? null : failure.toString();
                acquire.commit();
            }
        }

        @Override
        public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
            renewal(call, grant, took, late, null);
        }

        @Override
        public void renewalFailed(LockCall call, LockGrant grant, Duration took, LockException failure) {
            renewal(call, grant, took, false, failure);
        }

        private static void renewal(
                LockCall call, LockGrant grant, Duration took, boolean late, @Nullable LockException failure) {
            LeaseRenewalEvent event = new LeaseRenewalEvent();
            if (event.shouldCommit()) {
                event.about(call);
                event.granted(grant);
                event.took = took.toNanos();
                event.late = late;
                event.failure = failure == null ? null : failure.toString();
                event.commit();
            }
        }

        @Override
        public void lost(LockCall call, LockGrant grant, Duration held) {
            LeaseLostEvent event = new LeaseLostEvent();
            if (event.shouldCommit()) {
                event.about(call);
                event.granted(grant);
                event.held = held.toNanos();
                event.commit();
            }
            over(call, grant, "lost");
        }

        @Override
        public void released(LockCall call, LockGrant grant, Duration held) {
            over(call, grant, "released");
        }

        private void over(LockCall call, LockGrant grant, String outcome) {
            hold.end();
            if (hold.shouldCommit()) {
                hold.about(call);
                hold.granted(grant);
                hold.outcome = outcome;
                hold.commit();
            }
        }
    }
}
