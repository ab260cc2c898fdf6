package dev.leasehold.engine.jfr;

import dev.leasehold.LockCall;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** What all our events say. The flight recorder's way to share fields between kinds of events is a common base class. */
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

    @Label("Token")
    long token;

    void about(LockCall call) {
        lock = call.lock();
        namespace = call.namespace();
        client = call.client().label();
        storeKind = call.client().storeKind();
        store = call.client().store();
    }
}
