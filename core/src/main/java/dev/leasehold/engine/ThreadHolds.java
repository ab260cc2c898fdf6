package dev.leasehold.engine;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The thread holds of a client say which threads own which locks, and how often they have entered. The owner is the {@link
 * Thread} object itself, never its id. Each entry is touched by its own thread only. A thread that has died cannot leave
 * any more: its entry is removed when its lease ends, and, if it died later, by a sweep whenever the number of entries has
 * doubled.
 */
final class ThreadHolds {

    private static final int FEWEST_TO_SWEEP = 64;

    private record Key(String lock, Thread owner) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && key.owner == owner && key.lock.equals(lock);
        }

        @Override
        public int hashCode() {
            return 31 * lock.hashCode() + System.identityHashCode(owner);
        }
    }

    private static final class Entries {
        private final HeldLease lease;
        private int count = 1;

        Entries(HeldLease lease) {
            this.lease = lease;
        }
    }

    private final ConcurrentMap<Key, Entries> owned = new ConcurrentHashMap<>();
    private volatile int sweepAt = FEWEST_TO_SWEEP;

    private static Key mine(String lock) {
        return new Key(lock, Thread.currentThread());
    }

    /** Enters once more if the calling thread owns the lock. */
    boolean reenter(String lock) {
        Entries entries = owned.get(mine(lock));
        if (entries == null) {
            return false;
        }
        entries.lease.ensureValid();
        if (entries.count == Integer.MAX_VALUE) {
            throw new IllegalMonitorStateException("the lock '" + lock + "' was entered too often");
        }
        entries.count++;
        return true;
    }

    /** Notes the calling thread as owner of a lease; does nothing without a lease. */
    boolean enter(String lock, @Nullable HeldLease lease) {
        if (lease == null) {
            return false;
        }
        Key key = mine(lock);
        Entries entries = new Entries(lease);
        owned.put(key, entries);
        sweep();
        lease.hold().ended.whenComplete((state, failure) -> {
            if (!key.owner().isAlive()) {
                owned.remove(key, entries);
            }
        });
        return true;
    }

    private void sweep() {
        if (owned.size() >= sweepAt) {
            owned.keySet().removeIf(key -> !key.owner().isAlive());
            sweepAt = Math.max(FEWEST_TO_SWEEP, 2 * owned.size());
        }
    }

    int size() {
        return owned.size();
    }

    void leave(String lock) {
        Key key = mine(lock);
        Entries entries = owned.get(key);
        if (entries == null) {
            throw new IllegalMonitorStateException("this thread does not own the lock '" + lock + "'");
        }
        LeaseState state = entries.lease.state();
        LeaseLostException lost = state.isFinal() ? entries.lease.lost(state) : null;
        if (--entries.count == 0) {
            owned.remove(key);
            LeaseLostException found = entries.lease.finish();
            lost = lost == null ? found : lost;
        }
        if (lost != null) {
            IllegalMonitorStateException told = new IllegalMonitorStateException(lost.getMessage());
            told.initCause(lost);
            throw told;
        }
    }

    @Nullable HeldLease lease(String lock) {
        Entries entries = owned.get(mine(lock));
        return entries == null ? null : entries.lease;
    }

    int count(String lock) {
        Entries entries = owned.get(mine(lock));
        return entries == null ? 0 : entries.count;
    }
}
