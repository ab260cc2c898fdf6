package dev.leasehold.spring.boot.actuate;

import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Last contact notes when the store has last answered one of the client's calls. */
final class LastContact implements LeaseholdObserver {

    private volatile @Nullable Instant last;

    @Nullable Instant last() {
        return last;
    }

    void note() {
        last = Instant.now();
    }

    @Override
    public void acquired(LockCall call, LockGrant grant) {
        if (!grant.handedOver()) {
            note();
        }
    }

    @Override
    public void busy(LockCall call, Duration waited) {
        note();
    }

    @Override
    public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
        note();
    }
}
