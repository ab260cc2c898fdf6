package dev.leasehold.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A few daemon threads that work tasks off: those of one lock one after the other, in the order in which they came, so that
 * a withdrawal never overtakes the claim; those of different locks side by side. A thread is started when a task finds none
 * that is idle, and stays until closed. Thread-safe.
 */
final class Workers {

    private static final long PATIENCE_MILLIS = 2_000;

    /** Something to do; {@code lock} may be null, for what needs no order. */
    record Task(@Nullable String lock, Runnable work) {}

    private final String name;
    private final int most;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition work = mutex.newCondition();
    private final ArrayDeque<Task> ready = new ArrayDeque<>();
    /** For each lock that is being worked on, what waits for that. */
    private final Map<String, ArrayDeque<Task>> busy = new HashMap<>();

    private final List<Thread> threads = new ArrayList<>();
    private int idle;
    private boolean closed;

    Workers(String name, int most) {
        this.name = name;
        this.most = most;
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
                return true;
            }
            if (lock != null) {
                busy.put(lock, new ArrayDeque<>(2));
            }
            ready.add(task);
            if (idle >= ready.size()) {
                work.signal();
            } else if (threads.size() < most) {
                start();
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }

    private void start() {
        Thread thread = new Thread(this::run, name + "-" + (threads.size() + 1));
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void run() {
        for (Task task = next(null); task != null; task = next(task)) {
            task.work().run();
        }
    }

    private @Nullable Task next(@Nullable Task done) {
        mutex.lock();
        try {
            if (done != null && done.lock() != null) {
                ArrayDeque<Task> after = busy.get(done.lock());
                Task following = after == null ? null : after.poll();
                if (following == null) {
                    busy.remove(done.lock());
                } else {
                    ready.add(following);
                }
            }
            while (ready.isEmpty() && !closed) {
                idle++;
                work.awaitUninterruptibly();
                idle--;
            }
            return closed ? null : ready.poll();
        } finally {
            mutex.unlock();
        }
    }

    /** Ends the threads when they have finished what they are at; waits for them a while. */
    void close() {
        List<Thread> running;
        mutex.lock();
        try {
            closed = true;
            ready.clear();
            busy.clear();
            running = List.copyOf(threads);
            work.signalAll();
        } finally {
            mutex.unlock();
        }
        long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        for (Thread thread : running) {
            if (thread != Thread.currentThread()) {
                awaitEnd(thread, end);
            }
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
