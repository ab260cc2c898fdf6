package dev.leasehold.test;

import dev.leasehold.internal.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A settled executor has threads for callbacks, and lets its owner wait until these have nothing more to do. Callbacks do
 * not run on the caller's thread, because one that waits for a lock would keep the caller from freeing it.
 */
final class SettledExecutor implements Executor, AutoCloseable {

    private static final long SETTLE_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ExecutorService threads =
            Executors.newCachedThreadPool(DaemonThreads.named("leasehold-test-callback"));
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition done = mutex.newCondition();
    private int pending;

    @Override
    public void execute(Runnable callback) {
        count(1);
        try {
            threads.execute(() -> {
                try {
                    callback.run();
                } finally {
                    count(-1);
                }
            });
        } catch (RejectedExecutionException e) {
            count(-1);
            throw e;
        }
    }

    /** Waits until all callbacks are done; for half a second if one of them blocks. */
    void settle() {
        long left = SETTLE_TIMEOUT_NANOS;
        mutex.lock();
        try {
            while (pending > 0 && left > 0) {
                left = done.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }

    private void count(int change) {
        mutex.lock();
        try {
            pending += change;
            done.signalAll();
        } finally {
            mutex.unlock();
        }
    }
}
