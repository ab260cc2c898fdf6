package dev.leasehold.memory;

import dev.leasehold.internal.Guard;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A memory space holds locks in memory, with a mutex of its own around them. Every operation is one visit: take the mutex,
 * read the clock, change the state, leave the mutex, and only then notify the other clients that the change concerns.
 */
final class MemorySpace implements StoreFactory {

    /** A visit is one operation on the locks. */
    interface Visit<T> {
        T to(MemoryLocks locks, ClockReading now, Notifications out);
    }

    private final String name;
    private final Guard mutex = new Guard();
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

    void enter(StoreContext context) {
        clients.put(context.clientId(), context.signals());
    }

    <T> T visit(TimeSource time, Visit<T> visit) {
        Notifications out = new Notifications();
        T answer;
        ClockReading now;
        mutex.lock();
        try {
            now = time.now();
            answer = visit.to(locks, now, out);
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
            Signals waiter = clients.get(granted.grant().lease().claim().client());
            if (waiter != null) {
                waiter.granted(granted.grant(), Validity.of(now, granted.timeLeft()));
            }
        }
    }

    @Override
    public String kind() {
        return "memory";
    }

    @Override
    public String toString() {
        return name;
    }
}
