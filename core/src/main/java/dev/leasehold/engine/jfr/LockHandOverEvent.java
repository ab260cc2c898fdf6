package dev.leasehold.engine.jfr;

import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A lock hand-over event is a hand-over of a lock between callers of this process. */
@Name("dev.leasehold.LockHandOver")
@Label("Lock Hand-Over")
@Description("A hand-over of a lock between callers of this process.")
@Enabled(false)
final class LockHandOverEvent extends LockEvent {}
