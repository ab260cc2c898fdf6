package dev.leasehold.jdbc.server;

import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.internal.Guard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Workers are a small pool of daemon threads: tasks of one lock run one after the other, in the order in which they came, so
 * that a withdrawal never overtakes the claim; those of different locks run side by side. A thread is started when a task
 * finds none that is idle, and stays until closed. Thread-safe.
 *
 * <p>What keeps a lease goes first, and claims leave it a worker: see {@link Rank}. Claims of rows that somebody keeps locked
 * would otherwise cost all other leases of the client.
 *
 * <p>A caller's thread may carry out one task that it asks for, see {@link #runOnCaller}: if nothing of its lock is under
 * way, nothing waits for a worker, and fewer than {@code most} tasks are being worked on by any thread. Tasks that come for
 * the lock meanwhile wait for it as for a worker.
 */
final class Workers {

    private static final System.Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A task of an earlier rank goes first. Each rank has a place among the workers that the others leave free, if there are enough. */
    enum Rank {
        /** Batches of renewals, which wait for nobody's row. */
        BATCH,
        /** Single renewals and releases. */
        HELD,
        OTHER
    }

    /**
     * A task is something to do.
     *
     * @param lock null for what needs no order
     * @param once what a caller's thread may do instead, or null
     */
    record Task(
            Rank rank,
            @Nullable String lock,
            Runnable work,
            @Nullable CallerTask once) {

        /** Makes a task for workers alone. */
        Task(@Nullable String lock, Runnable work) {
            this(lock, work, null);
        }

        Task(@Nullable String lock, Runnable work, @Nullable CallerTask once) {
            this(Rank.OTHER, lock, work, once);
        }

        Task at(Rank other) {
            return other == rank ? this : new Task(other, lock, work, once);
        }
    }

    /** A caller task is one short attempt at a task. */
    @FunctionalInterface
    interface CallerTask {
        /** Returns what is left for a worker to do, or null if the task is done. Must not throw. */
        @Nullable Runnable attempt();
    }

    /** A calling thread is one that runs a request now, with the task that is kept for it. */
    private static final class CallingThread {
        private final Workers workers;
        private @Nullable Task task;

        private CallingThread(Workers workers) {
            this.workers = workers;
        }
    }

    private static final ThreadLocal<@Nullable CallingThread> CALLER = new ThreadLocal<>();

    private final String name;
    private final int most;
    private final Guard mutex = new Guard();
    private final Map<Rank, ArrayDeque<Task>> ready = new EnumMap<>(Rank.class);

    /** These are the locks that are being worked on, each with the tasks that wait for that. */
    private final Map<String, ArrayDeque<Task>> busy = new HashMap<>();

    private final List<Thread> threads = new ArrayList<>();
    private final Set<Thread> busyCallers = new HashSet<>();
    private final ArrayDeque<Thread> sleeping = new ArrayDeque<>();
    private int idle;
    private @Nullable Thread closing;
    /** So many tasks of each rank are being run, or are kept for a thread that is about to run them. */
    private final Map<Rank, Integer> working = new EnumMap<>(Rank.class);

    private boolean closed;

    Workers(String name, int most) {
        this.name = name;
        this.most = most;
        for (Rank rank : Rank.values()) {
            ready.put(rank, new ArrayDeque<>());
        }
    }

    /** Takes a task in, unless closed. */
    boolean submit(Task task) {
        mutex.lock();
        try {
            if (closed) {
                return false;
            }
            String lock = task.lock();
            ArrayDeque<Task> before = lock == null ? null : busy.get(lock);
            if (before != null) {
                before.add(task);
                hasten(lock, task.rank());
                return true;
            }
            if (lock != null) {
                busy.put(lock, new ArrayDeque<>(2));
            }
            if (!keptForCaller(task)) {
                ready(task);
                rouse();
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }

    private ArrayDeque<Task> ready(Rank rank) {
        return Objects.requireNonNull(ready.get(rank));
    }

    private void ready(Task task) {
        ready(task.rank()).add(task);
    }

    private int ready() {
        return ready.values().stream().mapToInt(ArrayDeque::size).sum();
    }

    /** Has a task that is ready go as early as the one of the same lock that waits for it. */
    private void hasten(@Nullable String lock, Rank rank) {
        for (Rank later : Rank.values()) {
            Task first = later.compareTo(rank) <= 0
                    ? null
                    : ready(later).stream()
                            .filter(task -> Objects.equals(task.lock(), lock))
                            .findFirst()
                            .orElse(null);
            if (first != null) {
                ready(later).remove(first);
                ready(first.at(rank));
                rouse();
            }
        }
    }

    private @Nullable Task takeReady() {
        for (Map.Entry<Rank, ArrayDeque<Task>> each : ready.entrySet()) {
            if (hasPlace(each.getKey()) && !each.getValue().isEmpty()) {
                working.merge(each.getKey(), 1, Integer::sum);
                return each.getValue().remove();
            }
        }
        return null;
    }

    private int working(Rank rank) {
        return working.getOrDefault(rank, 0);
    }

    /** Returns whether there is a place for a task of this rank: the last one is for batches, and two ranks never fill the third's. */
    private boolean hasPlace(Rank rank) {
        int waiting = working(Rank.HELD) + working(Rank.OTHER);
        return waiting + working(Rank.BATCH) < most
                && (rank == Rank.BATCH
                        || (working(rank) < Math.max(1, most - 2) && waiting < Math.max(most - 1, Math.min(most, 2))));
    }

    /** Returns whether what keeps a lease, and may wait for a row, has to wait for a worker. */
    boolean areTaken() {
        mutex.lock();
        try {
            return !hasPlace(Rank.HELD);
        } finally {
            mutex.unlock();
        }
    }

    private boolean keptForCaller(Task task) {
        if (task.lock() == null || task.once() == null || !hasPlace(task.rank()) || ready() > 0) {
            return false;
        }
        CallingThread caller = CALLER.get();
        if (caller == null || caller.workers != this || caller.task != null) {
            return false;
        }
        caller.task = task;
        working.merge(task.rank(), 1, Integer::sum);
        busyCallers.add(Thread.currentThread());
        return true;
    }

    /** Runs a request that submits tasks, and then at most one of them, once, on this thread. */
    void runOnCaller(Runnable request) {
        CallingThread caller = new CallingThread(this);
        CALLER.set(caller);
        try {
            request.run();
        } finally {
            CALLER.remove();
            Task task = caller.task;
            Workers.CallerTask once = task == null ? null : task.once();
            if (task != null && once != null) {
                attempt(task, once);
            }
        }
    }

    private void attempt(Task task, CallerTask once) {
        Runnable left = null;
        try {
            left = once.attempt();
        } finally {
            finish(task, left);
        }
    }

    private void finish(Task task, @Nullable Runnable left) {
        mutex.lock();
        try {
            busyCallers.remove(Thread.currentThread());
            LockSupport.unpark(closing);
            working.merge(task.rank(), -1, Integer::sum);
            if (left != null && !closed) {
                ready(new Task(
                        task.rank(), task.lock(), left, null)); // The lock stays busy: nothing of it comes before this.
            } else {
                follow(task);
            }
            rouse();
        } finally {
            mutex.unlock();
        }
    }

    /** Has somebody take what is ready, if anybody may. One who was roused in vain waits on. */
    private void rouse() {
        if (ready() == 0 || closed) {
            return;
        }
        LockSupport.unpark(sleeping.poll());
        if (idle < ready() && threads.size() < most) {
            start();
        }
    }

    private void start() {
        Thread thread = DaemonThreads.unstarted(name + "-" + (threads.size() + 1), this::run);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // No more threads: those that there are do it, or the next task tries again.
            LOG.log(System.Logger.Level.WARNING, "no thread can be started for " + name, e);
            return;
        }
        threads.add(thread);
    }

    private void run() {
        for (Task task = next(null); task != null; task = next(task)) {
            try {
                task.work().run();
            } catch (Throwable e) { // Any failure: others wait for this thread.
                LOG.log(System.Logger.Level.WARNING, "a task failed", e);
            }
        }
    }

    private @Nullable Task next(@Nullable Task done) {
        mutex.lock();
        try {
            if (done != null) {
                working.merge(done.rank(), -1, Integer::sum);
                follow(done);
            }
            Task taken = takeReady();
            while (taken == null && !closed) {
                sleep();
                taken = takeReady();
            }
            return taken;
        } finally {
            mutex.unlock();
        }
    }

    /** Sleeps outside the mutex until roused, or for no reason. */
    private void sleep() {
        idle++;
        sleeping.add(Thread.currentThread());
        mutex.unlock();
        LockSupport.park(this);
        Thread.interrupted(); // By nobody of ours; it would not sleep any more.
        mutex.lock();
        sleeping.remove(Thread.currentThread());
        idle--;
    }

    /** Lets the next task of a lock begin that has waited for this one. */
    private void follow(Task done) {
        if (done.lock() == null) {
            return;
        }
        ArrayDeque<Task> after = busy.get(done.lock());
        Task following = after == null ? null : after.poll();
        if (after == null || following == null) {
            busy.remove(done.lock());
        } else {
            ready(following);
            List.copyOf(after).forEach(waiting -> hasten(waiting.lock(), waiting.rank()));
        }
    }

    /**
     * Ends the threads when they have finished what they are at; waits a while for them, and for callers that carry a task
     * out.
     */
    void close() {
        List<Thread> running;
        long end = System.nanoTime() + CLOSE_TIMEOUT_NANOS;
        mutex.lock();
        try {
            closed = true;
            ready.values().forEach(ArrayDeque::clear);
            busy.clear();
            running = List.copyOf(threads);
            sleeping.forEach(LockSupport::unpark);
            awaitCallers(end);
        } finally {
            mutex.unlock();
        }
        for (Thread thread : running) {
            if (thread != Thread.currentThread()) {
                awaitEnd(thread, end);
            }
        }
    }

    private void awaitCallers(long end) {
        closing = Thread.currentThread();
        while (!closing.isInterrupted()
                && end - System.nanoTime() > 0
                && busyCallers.stream().anyMatch(thread -> thread != closing)) {
            mutex.unlock();
            LockSupport.parkNanos(this, end - System.nanoTime());
            mutex.lock();
        }
    }

    private static void awaitEnd(Thread thread, long end) {
        try {
            thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
