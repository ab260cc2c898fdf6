package dev.leasehold.cli;

import dev.leasehold.DistributedLock;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;

/** A use says how a run uses a lock: alone, as one of several, or as one of any number of readers. */
sealed interface Use {

    /** Returns the lock to claim. */
    DistributedLock lock(Leasehold leasehold, String name, LockOptions options);

    /** Alone, nobody else has the lock meanwhile. */
    record Alone() implements Use {
        @Override
        public DistributedLock lock(Leasehold leasehold, String name, LockOptions options) {
            return leasehold.lock(name, options);
        }
    }

    /** Slots let so many run at a time, each with a slot of its own. */
    record Slots(int number) implements Use {
        @Override
        public DistributedLock lock(Leasehold leasehold, String name, LockOptions options) {
            return leasehold.semaphore(name, number, options);
        }
    }

    /** A shared use goes together with all others that share the lock, and with nobody that has it alone. */
    record Shared() implements Use {
        @Override
        public DistributedLock lock(Leasehold leasehold, String name, LockOptions options) {
            return leasehold.readWriteLock(name, options).read();
        }
    }
}
