package dev.leasehold.testkit;

import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/** No-op signals are for stores that are opened without a client, and asked for everything. */
public record NoSignals() implements Signals {

    @Override
    public void granted(Grant grant, @Nullable Validity validity) {}

    @Override
    public void doubt(@Nullable String lock) {}
}
