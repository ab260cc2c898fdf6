package dev.leasehold.engine;

import dev.leasehold.engine.queue.Event;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lock queues of a client are one for each name and share that is in use. A name has few, and nearly always one: that of
 * the exclusive lock.
 */
final class LockQueues {

    /** An inbox is where the events of one queue go. */
    interface Inbox {

        int share();

        /** Takes an event; returns false if the queue is gone, so that a new one has to be made. */
        boolean post(Event event);
    }

    private final ConcurrentMap<String, List<Inbox>> queues = new ConcurrentHashMap<>();
    private final BiFunction<String, Integer, Inbox> factory;

    /** Makes an empty one; the factory makes a queue for a name and a share. */
    LockQueues(BiFunction<String, Integer, Inbox> factory) {
        this.factory = factory;
    }

    /**
     * Brings an event to a queue, and makes the queue if there is none. The factory is called outside of the map. Inside of it
     * ({@code computeIfAbsent}), a stack that ends in the factory leaves a reservation behind, and no name of that bin works
     * again.
     */
    void post(String lock, int share, Event event) {
        while (true) {
            List<Inbox> known = of(lock);
            Inbox queue = withShare(known, share);
            if (queue == null) {
                add(lock, known, factory.apply(lock, share));
            } else if (queue.post(event)) {
                return;
            } else {
                remove(lock, queue);
            }
        }
    }

    private List<Inbox> of(String lock) {
        return queues.getOrDefault(lock, List.of());
    }

    private static @Nullable Inbox withShare(List<Inbox> queues, int share) {
        for (Inbox queue : queues) {
            if (queue.share() == share) {
                return queue;
            }
        }
        return null;
    }

    /** Adds a queue, unless there are others by now than were known. */
    private void add(String lock, List<Inbox> known, Inbox added) {
        if (known.isEmpty()) {
            queues.putIfAbsent(lock, List.of(added));
        } else {
            queues.replace(
                    lock, known, Stream.concat(known.stream(), Stream.of(added)).toList());
        }
    }

    void remove(String lock, Inbox queue) {
        if (!queues.remove(lock, List.of(queue))) {
            queues.computeIfPresent(lock, (name, known) -> {
                List<Inbox> others =
                        known.stream().filter(each -> !each.equals(queue)).toList();
                return others.isEmpty() ? null : others;
            });
        }
    }

    void postIfPresent(String lock, int share, Event event) {
        Inbox queue = withShare(of(lock), share);
        if (queue != null) {
            queue.post(event);
        }
    }

    /** Brings an event to all queues of some locks. */
    void tell(Predicate<String> locks, Event event) {
        queues.keySet().forEach(lock -> {
            if (locks.test(lock)) {
                tell(lock, event);
            }
        });
    }

    /** Brings an event to all queues of one lock. */
    void tell(String lock, Event event) {
        of(lock).forEach(queue -> queue.post(event));
    }

    boolean isEmpty() {
        return queues.isEmpty();
    }
}
