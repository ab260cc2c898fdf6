package dev.leasehold.memory;

import dev.leasehold.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

/**
 * A memory space holds locks in memory, with a mutex of its own around them. Every operation is one visit: take the mutex,
 * read the clock, change the state, leave the mutex, and only then notify the other clients that the change concerns.
 */
final class MemorySpace implements StoreFactory {

    private final String name;
    private final ReentrantLock mutex = new ReentrantLock();
    private final MemoryLocks locks = new MemoryLocks();
    private final Map<String, Signals> clients = new ConcurrentHashMap<>();

    MemorySpace(String name) {
        this.name = name;
    }

    @Override
    public Store open(StoreContext context) {
        return new MemoryStore(this, context);
    }

    void leave(StoreContext context) {
        clients.values().remove(context.signals());
    }

    ClaimAnswer claim(StoreContext from, Claim claim) {
        clients.put(from.clientId(), from.signals());
        return visit(from, (now, out) -> locks.claim(key(from, claim.lock()), claim, from.owner(), now, out));
    }

    RenewAnswer renew(StoreContext from, LeaseId lease, Duration duration) {
        return visit(from, (now, out) -> locks.renew(key(from, lease.lock()), lease, duration, now));
    }

    ReleaseAnswer release(StoreContext from, LeaseId lease, Duration keepFor) {
        return visit(from, (now, out) -> locks.release(key(from, lease.lock()), lease, keepFor, now, out));
    }

    boolean withdraw(StoreContext from, String lock, ClaimId claim) {
        return visit(from, (now, out) -> locks.withdraw(key(from, lock), claim, now, out));
    }

    List<LockInfo> inspect(StoreContext from, NamePattern pattern) {
        return visit(from, (now, out) -> locks.inspect(from.namespace(), pattern, now));
    }

    boolean breakLease(StoreContext from, String lock, long token) {
        return visit(from, (now, out) -> locks.breakLease(key(from, lock), token, now, out));
    }

    private <T> T visit(StoreContext from, BiFunction<ClockReading, Notifications, T> change) {
        Notifications out = new Notifications();
        T answer;
        ClockReading now;
        mutex.lock();
        try {
            now = from.time().now();
            answer = change.apply(now, out);
        } finally {
            mutex.unlock();
        }
        tell(out, now);
        return answer;
    }

    private void tell(Notifications out, ClockReading now) {
        for (Notifications.Broken broken : out.broken()) {
            Signals holder = clients.get(broken.claim().client());
            if (holder != null) {
                holder.doubt(broken.lock());
            }
        }
        for (Notifications.Granted granted : out.granted()) {
            Signals waiter = clients.get(granted.lease().claim().client());
            if (waiter != null) {
                waiter.granted(granted.lease(), granted.spare(), Validity.of(now, granted.timeLeft()));
            }
        }
    }

    private static LockKey key(StoreContext from, String lock) {
        return new LockKey(from.namespace(), lock);
    }

    @Override
    public String toString() {
        return name;
    }
}
