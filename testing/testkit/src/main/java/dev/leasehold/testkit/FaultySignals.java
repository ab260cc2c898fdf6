package dev.leasehold.testkit;

import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/** Faulty signals travel on a bad line. */
record FaultySignals(FaultyStore faulty, Signals receiver, TimeSource time) implements Signals {

    @Override
    public void granted(Grant grant, @Nullable Validity validity) {
        pass(() -> receiver.granted(grant, validity));
    }

    @Override
    public void doubt(@Nullable String lock) {
        pass(() -> receiver.doubt(lock));
    }

    @Override
    public void risk(@Nullable String lock) {
        pass(() -> receiver.risk(lock));
    }

    private void pass(Runnable signal) {
        FaultPlan plan = faulty.plan();
        switch (plan.next(FaultPlan.Message.SIGNAL)) {
            case NONE -> signal.run();
            case REPEAT -> {
                signal.run();
                time.schedule(plan.delay(), signal);
            }
            case DELAY_REQUEST, DELAY_ANSWER, LATE -> time.schedule(plan.delay(), signal);
            case LOSE_REQUEST, LOSE_ANSWER, UNREACHABLE, REFUSE -> {}
        }
    }
}
