package dev.leasehold.engine.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** A lease lost event is the loss of a lease while it was held. */
@Name("dev.leasehold.LeaseLost")
@Label("Lease Lost")
@Description("The loss of a lease while it was held.")
final class LeaseLostEvent extends LockEvent {

    @Label("Held")
    @Timespan(Timespan.NANOSECONDS)
    long held;
}
