package dev.leasehold.engine;

import dev.leasehold.engine.queue.Event;
import dev.leasehold.spi.Claim;
import java.util.Comparator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The lock queues of a client are one for each name and share that is in use. Those of exclusive locks, which are nearly
 * all, stand under the bare name, so that a mutex pays nothing for the others.
 */
final class LockQueues implements ClientClosing.Queues {

    /** An inbox is where the events of one queue go. */
    interface Inbox {
        /** Takes an event; returns false if the queue is gone, so that a new one has to be made. */
        boolean post(Event event);
    }

    /** A factory makes a queue. */
    interface Factory {
        Inbox queue(String lock, int share);
    }

    private record Shared(String lock, int share) {

        /** All shares of one name stand together. */
        static final Comparator<Shared> ORDER =
                Comparator.comparing(Shared::lock).thenComparingInt(Shared::share);
    }

    private final ConcurrentMap<String, Inbox> exclusive = new ConcurrentHashMap<>();
    private final ConcurrentNavigableMap<Shared, Inbox> shared = new ConcurrentSkipListMap<>(Shared.ORDER);
    private final Factory factory;

    LockQueues(Factory factory) {
        this.factory = factory;
    }

    /** Brings an event to a queue, and makes the queue if there is none. */
    void post(String lock, int share, Event event) {
        if (share == Claim.EXCLUSIVE) {
            post(exclusive, lock, () -> factory.queue(lock, share), event);
        } else {
            post(shared, new Shared(lock, share), () -> factory.queue(lock, share), event);
        }
    }

    /**
     * The factory is called outside of the map. Inside of it ({@code computeIfAbsent}), a stack that ends in the factory leaves
     * a reservation behind, and no name of that bin works again.
     */
    private static <K> void post(ConcurrentMap<K, Inbox> queues, K key, Supplier<Inbox> factory, Event event) {
        for (; ; ) {
            Inbox queue = queues.get(key);
            if (queue == null) {
                Inbox made = factory.get();
                queue = queues.putIfAbsent(key, made);
                if (queue == null) {
                    queue = made;
                }
            }
            if (queue.post(event)) {
                return;
            }
            queues.remove(key, queue);
        }
    }

    void postIfPresent(String lock, int share, Event event) {
        Inbox queue = share == Claim.EXCLUSIVE ? exclusive.get(lock) : shared.get(new Shared(lock, share));
        if (queue != null) {
            queue.post(event);
        }
    }

    /** Brings an event to the queues of a lock with which one share never holds: to the writers' or to all others. */
    void postBeside(String lock, int share, Event event) {
        if (share != Claim.EXCLUSIVE) {
            postIfPresent(lock, Claim.EXCLUSIVE, event);
        } else {
            postToOtherShares(lock, share, event);
        }
    }

    /** Brings an event to the queues of a shared lock's other shares, except for the writers'. */
    void postToOtherShares(String lock, int share, Event event) {
        sharesOf(lock).forEach((key, queue) -> {
            if (key.share() != share) {
                queue.post(event);
            }
        });
    }

    private ConcurrentNavigableMap<Shared, Inbox> sharesOf(String lock) {
        return shared.subMap(new Shared(lock, 0), true, new Shared(lock, Claim.UNLIMITED), true);
    }

    void remove(String lock, int share, Inbox queue) {
        if (share == Claim.EXCLUSIVE) {
            exclusive.remove(lock, queue);
        } else {
            shared.remove(new Shared(lock, share), queue);
        }
    }

    /** Brings an event to all queues of some locks. */
    void tell(Predicate<String> locks, Event event) {
        exclusive.forEach((lock, queue) -> {
            if (locks.test(lock)) {
                queue.post(event);
            }
        });
        shared.forEach((key, queue) -> {
            if (locks.test(key.lock())) {
                queue.post(event);
            }
        });
    }

    /** Brings an event to all queues of one lock. */
    void tell(String lock, Event event) {
        postIfPresent(lock, Claim.EXCLUSIVE, event);
        sharesOf(lock).values().forEach(queue -> queue.post(event));
    }

    @Override
    public boolean isEmpty() {
        return exclusive.isEmpty() && shared.isEmpty();
    }

    @Override
    public void tellAll(Event event) {
        exclusive.values().forEach(queue -> queue.post(event));
        shared.values().forEach(queue -> queue.post(event));
    }
}
