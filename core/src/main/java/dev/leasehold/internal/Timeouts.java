package dev.leasehold.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Timeouts give up the requests that a store has not answered in time. They do so by the client's timer, because the thread
 * that carries a request out may be stuck in a socket or in the operating system. All requests have the same time, so they
 * are late in nearly the order in which they come, and one timer is enough. Thread-safe.
 *
 * @param <T> a request
 */
public final class Timeouts<T> {

    private record Pending<T>(T request, long until) {}

    private final LongSupplier clock;
    private final BiFunction<Duration, Runnable, Runnable> timers;
    private final Duration limit;
    private final Predicate<T> answered;
    private final Consumer<List<T>> late;
    private final Guard guard = new Guard();
    private final ArrayDeque<Pending<T>> all = new ArrayDeque<>();
    private @Nullable Runnable cancel;
    private boolean closed;

    /**
     * Makes time-outs that end a 20th part before those of the callers that wait for the answers, so that the callers are
     * told the reason. (At the same time, two timers decided who came first.)
     *
     * @param clock the client's clock, in nanoseconds
     * @param timers runs a task once, later, and returns what calls it off; a negative delay is none
     * @param storeTimeout how long the client waits for the store
     * @param answered whether a request has its answer
     * @param late gives up requests, on the timer's thread; one may have been answered since it was late
     */
    public Timeouts(
            LongSupplier clock,
            BiFunction<Duration, Runnable, Runnable> timers,
            Duration storeTimeout,
            Predicate<T> answered,
            Consumer<List<T>> late) {
        this.clock = clock;
        this.timers = timers;
        this.limit = storeTimeout.minus(storeTimeout.dividedBy(20));
        this.answered = answered;
        this.late = late;
    }

    /** Returns how long a request may take, for messages. */
    public String limit() {
        return limit.toMillis() + " ms";
    }

    /**
     * Watches over a request, unless closed.
     *
     * @param asked when the client asked for it, on its clock: until now, it may have waited for a connection
     * @return false if closed
     */
    public boolean add(T request, long asked) {
        guard.lock();
        try {
            if (!closed) {
                all.add(new Pending<>(request, asked + limit.toNanos()));
                forgetAnswered();
                arm();
            }
            return !closed;
        } finally {
            guard.unlock();
        }
    }

    private void forgetAnswered() {
        while (!all.isEmpty() && answered.test(all.getFirst().request())) {
            all.removeFirst();
        }
    }

    private void arm() {
        if (cancel == null && !all.isEmpty()) {
            cancel = timers.apply(Duration.ofNanos(all.getFirst().until() - clock.getAsLong()), this::look);
        }
    }

    private void look() {
        List<T> over = new ArrayList<>();
        guard.lock();
        try {
            cancel = null;
            long now = clock.getAsLong();
            forgetAnswered();
            while (!all.isEmpty() && now - all.getFirst().until() >= 0) {
                over.add(all.removeFirst().request());
                forgetAnswered();
            }
            arm();
        } finally {
            guard.unlock();
        }
        late.accept(over);
    }

    /**
     * Ends the watch.
     *
     * @return the requests that nobody watches over now; some may have their answers
     */
    public List<T> close() {
        guard.lock();
        try {
            closed = true;
            if (cancel != null) {
                cancel.run();
            }
            List<T> left = all.stream().map(Pending::request).toList();
            all.clear();
            return left;
        } finally {
            guard.unlock();
        }
    }
}
