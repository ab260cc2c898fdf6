package dev.leasehold.engine;

import dev.leasehold.LeaseLostException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Which threads of this client own which locks, and how often they have entered. The owner is the {@link Thread} object
 * itself, never its id. Each entry is touched by its own thread only; the entry of a thread that died with the lock is
 * taken out when its lease is over.
 */
final class ThreadHolds {

    private record Key(String lock, Thread owner) {}

    private static final class Entries {
        private final HeldLease lease;
        private int count = 1;

        Entries(HeldLease lease) {
            this.lease = lease;
        }
    }

    private final ConcurrentMap<Key, Entries> owned = new ConcurrentHashMap<>();

    private static Key mine(String lock) {
        return new Key(lock, Thread.currentThread());
    }

    /** Enters once more, if the calling thread owns the lock. */
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

    /** Notes the calling thread as owner of a lease; without a lease does nothing. */
    boolean enter(String lock, @Nullable HeldLease lease) {
        if (lease == null) {
            return false;
        }
        Key key = mine(lock);
        Entries entries = new Entries(lease);
        owned.put(key, entries);
        lease.hold().ended.whenComplete((state, failure) -> {
            if (!key.owner().isAlive()) {
                owned.remove(key, entries);
            }
        });
        return true;
    }

    void leave(String lock) {
        Key key = mine(lock);
        Entries entries = owned.get(key);
        if (entries == null) {
            throw new IllegalMonitorStateException("this thread does not own the lock '" + lock + "'");
        }
        LeaseLostException lost = null;
        if (!entries.lease.isValid()) {
            lost = entries.lease.lost(entries.lease.look());
        }
        if (--entries.count == 0) {
            owned.remove(key);
            if (entries.lease.closeQuietly() == dev.leasehold.LeaseState.LOST && lost == null) {
                lost = entries.lease.lost(dev.leasehold.LeaseState.LOST);
            }
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
