package dev.leasehold.redis.node;

import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/** A node listener hears the messages that a node sends unasked. */
public interface NodeListener {

    /** A claim that waited in the node's queue was granted; without a validity this is only a reason to ask. */
    void granted(Grant grant, @Nullable Validity validity);

    /**
     * Something happened after which leases on the node should be confirmed: that of one lock or, with null, all of them.
     */
    void doubt(@Nullable String lock);

    /** Something happened after which all that the node holds should be confirmed. */
    default void doubtNode() {
        doubt(null);
    }
}
