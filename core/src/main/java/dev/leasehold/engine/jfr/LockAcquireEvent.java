package dev.leasehold.engine.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A lock acquire event is a call for a lock, from asking to its outcome. */
@Name("dev.leasehold.LockAcquire")
@Label("Lock Acquisition")
@Description("A call for a lock, from asking to its outcome.")
@StackTrace
@Threshold("10 ms")
final class LockAcquireEvent extends LockEvent {

    @Label("Kind")
    @Nullable String kind;

    @Label("Outcome")
    @Nullable String outcome;

    @Label("Handed Over")
    boolean handedOver;

    @Label("Failure")
    @Nullable String failure;
}
