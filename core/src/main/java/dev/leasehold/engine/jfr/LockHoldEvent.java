package dev.leasehold.engine.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A lock hold event is a hold, from its beginning to its end. */
@Name("dev.leasehold.LockHold")
@Label("Lock Hold")
@Description("A hold, from its beginning to its end.")
@Threshold("10 ms")
final class LockHoldEvent extends LockEvent {

    @Label("Outcome")
    @Nullable String outcome;
}
