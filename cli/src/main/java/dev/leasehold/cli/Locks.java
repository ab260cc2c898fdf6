package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.LockInfo;
import org.jspecify.annotations.Nullable;

/** Asks a store for one lock. */
final class Locks {

    private Locks() {}

    /** The lock of exactly this name, or null if nobody holds, keeps or waits for it. */
    static @Nullable LockInfo named(Leasehold leasehold, String name) throws InterruptedException {
        return leasehold.locks(literally(name)).stream()
                .filter(lock -> lock.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** A pattern that matches only the name. */
    static String literally(String name) {
        return name.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?");
    }
}
