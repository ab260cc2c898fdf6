package dev.leasehold.engine.jfr;

import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A lock event has what all our events say. The flight recorder's way to share fields between kinds of events is a common
 * base class.
 */
@Category("Leasehold")
@StackTrace(false)
abstract class LockEvent extends Event {

    @Label("Lock")
    @Nullable String lock;

    @Label("Namespace")
    @Nullable String namespace;

    @Label("Client Label")
    @Nullable String client;

    @Label("Store Kind")
    @Nullable String storeKind;

    @Label("Store")
    @Nullable String store;

    @Label("Mode")
    @Description("EXCLUSIVE, PERMIT of a semaphore, or READER")
    @Nullable String mode;

    @Label("Share")
    @Description("With how many holders at most, itself included, a holder coexists")
    int share;

    @Label("Token")
    long token;

    @Label("Slot")
    @Description("The slot of a permit; -1 for none")
    int slot = -1;

    void about(LockCall call) {
        lock = call.lock();
        namespace = call.namespace();
        client = call.client().label();
        storeKind = call.client().storeKind();
        store = call.client().store();
        mode = call.mode().name();
        share = call.share();
    }

    void granted(LockGrant grant) {
        token = grant.token();
        slot = grant.slot().orElse(-1);
    }
}
