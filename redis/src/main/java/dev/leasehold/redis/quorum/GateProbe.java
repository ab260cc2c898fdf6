package dev.leasehold.redis.quorum;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Asks the nodes that are no gates because they did not answer, or were never seen, whether they are back: again and again, as
 * long as somebody stands at another gate for their sake, and would not hear of them otherwise. Any answer of a node makes it a
 * gate again, also one to something else; so all who stand elsewhere are told to look for themselves each time.
 *
 * <p>One question at a time to each node, for all locks of the client together. Thread-safe.
 */
public final class GateProbe {

    public static final Duration EVERY = Duration.ofMillis(250);

    private final Quorum quorum;
    private final Set<Integer> asked = ConcurrentHashMap.newKeySet();
    private final ReentrantLock mutex = new ReentrantLock();
    private final Set<Runnable> watchers = new LinkedHashSet<>();
    private boolean watching;

    GateProbe(Quorum quorum) {
        this.quorum = quorum;
    }

    /** Has a task run again and again, on any thread, until it is forgotten. */
    void watch(Runnable task) {
        mutex.lock();
        try {
            watchers.add(task);
            if (watching) {
                return;
            }
            watching = true;
        } finally {
            mutex.unlock();
        }
        later();
    }

    void forget(Runnable task) {
        mutex.lock();
        try {
            watchers.remove(task);
        } finally {
            mutex.unlock();
        }
    }

    private void later() {
        quorum.time().schedule(EVERY, this::look);
    }

    private void look() {
        List<Runnable> all;
        mutex.lock();
        try {
            if (watchers.isEmpty() || quorum.isClosed()) {
                watching = false;
                return;
            }
            all = List.copyOf(watchers);
        } finally {
            mutex.unlock();
        }
        later();
        for (int i = 0; i < quorum.size(); i++) {
            if (quorum.isUnheard(i)) {
                ask(i);
            }
        }
        all.forEach(Runnable::run);
    }

    private void ask(int node) {
        if (asked.add(node)) {
            quorum.voter(node).look().whenComplete((view, failure) -> {
                if (view != null) {
                    quorum.saw(node, view);
                }
                asked.remove(node);
            });
        }
    }
}
