package dev.leasehold.internal;

import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/** No-op signals are for a store that is opened by somebody who waits for nothing. */
public record NoSignals() implements Signals {

    @Override
    public void granted(Grant grant, @Nullable Validity validity) {}

    @Override
    public void doubt(@Nullable String lock) {}
}
