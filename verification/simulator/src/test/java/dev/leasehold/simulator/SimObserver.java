package dev.leasehold.simulator;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A simulated observer checks that each call has one outcome, and each hold one end, in this order. Now and then it throws, or
 * uses a lock itself.
 */
final class SimObserver implements LeaseholdObserver {

    private final SimFindings findings;
    private final Runnable disturbance;
    private final List<Call> calls = new ArrayList<>();

    SimObserver(SimFindings findings, Runnable disturbance) {
        this.findings = findings;
        this.disturbance = disturbance;
    }

    @Override
    public LeaseholdObserver asked(LockCall call) {
        disturbance.run();
        Call begun = new Call(call);
        calls.add(begun);
        return begun;
    }

    /** Checks, when all is over, that every call and every hold of a process that has not crashed has come to its end. */
    void checkEnd(SimProcess of) {
        calls.stream()
                .filter(call -> !of.isCrashed() && !call.phase.equals("over"))
                .forEach(call -> findings.add("OBSERVER", call.call + " is " + call.phase + " for ever"));
    }

    private final class Call implements LeaseholdObserver {

        private final LockCall call;
        private String phase = "asked";

        Call(LockCall call) {
            this.call = call;
        }

        private void goes(String from, String to, String by) {
            if (!phase.equals(from)) {
                findings.add("OBSERVER", call + " is " + by + " when it is " + phase);
            }
            phase = to;
            disturbance.run();
        }

        @Override
        public @Nullable LeaseholdObserver asked(LockCall again) {
            findings.add("OBSERVER", again + " is asked of the observer of " + call);
            return null;
        }

        @Override
        public void acquired(LockCall of, LockGrant grant) {
            goes("asked", "held", "acquired");
        }

        @Override
        public void busy(LockCall of, Duration waited) {
            goes("asked", "over", "busy");
        }

        @Override
        public void failed(LockCall of, Duration waited, Throwable failure) {
            goes("asked", "over", "failed");
        }

        @Override
        public void withdrawn(LockCall of, Duration waited) {
            goes("asked", "over", "withdrawn");
        }

        @Override
        public void renewed(LockCall of, LockGrant grant, Duration took, boolean late) {
            goes(phase.equals("led") ? "led" : "held", phase, "renewed");
        }

        @Override
        public void renewalFailed(LockCall of, LockGrant grant, Duration took, LockException failure) {
            renewed(of, grant, took, true);
        }

        @Override
        public void atRisk(LockCall of, LockGrant grant, LeaseState state) {
            renewed(of, grant, Duration.ZERO, true);
        }

        @Override
        public void elected(LockCall of, LockGrant grant) {
            goes("held", "led", "elected");
        }

        @Override
        public void demoted(LockCall of, LockGrant grant, Duration led) {
            goes("led", "held", "demoted");
        }

        @Override
        public void lost(LockCall of, LockGrant grant, Duration time) {
            goes("held", "over", "lost");
        }

        @Override
        public void released(LockCall of, LockGrant grant, Duration time) {
            goes("held", "over", "released");
        }
    }
}
