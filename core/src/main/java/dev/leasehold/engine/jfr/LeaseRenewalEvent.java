package dev.leasehold.engine.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A lease renewal event is an answered or failed renewal of a lease. */
@Name("dev.leasehold.LeaseRenewal")
@Label("Lease Renewal")
@Description("An answered or failed renewal of a lease.")
final class LeaseRenewalEvent extends LockEvent {

    @Label("Took")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @Label("Late")
    boolean late;

    @Label("Failure")
    @Nullable String failure;
}
