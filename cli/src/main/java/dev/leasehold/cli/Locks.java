package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.LockInfo;
import org.jspecify.annotations.Nullable;

/** Locks asks a store for one lock. */
final class Locks {

    private Locks() {}

    /** Returns the lock of exactly this name, or null if nobody holds, keeps or waits for it. */
    static @Nullable LockInfo named(Leasehold leasehold, String name) throws InterruptedException {
        return leasehold.info(name).orElse(null);
    }
}
