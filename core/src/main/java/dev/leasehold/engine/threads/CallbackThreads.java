package dev.leasehold.engine.threads;

import dev.leasehold.internal.DaemonThreads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Callback threads run users' callbacks unless they bring an executor: up to 16 at a time, so that slow ones do not hold up
 * all others, and a listener that waits for a lock does not keep the completion from running that it waits for. There are
 * none while there is nothing to do.
 *
 * <p>No caller takes a lock here. A thread that cannot be started is tried again with the next task. (The JDK's fork-join
 * pool, up to JDK 17, starts no thread any more after one that failed.)
 */
final class CallbackThreads implements Executor, AutoCloseable {

    private static final Logger LOG = System.getLogger("dev.leasehold");
    private static final int MOST = 16;
    private static final int IDLE_SECONDS = 10;

    private final ThreadFactory factory;
    private final LinkedTransferQueue<Runnable> tasks = new LinkedTransferQueue<>();
    private final AtomicInteger threads = new AtomicInteger();
    private volatile boolean closed;

    CallbackThreads(String name) {
        this(DaemonThreads.named(name));
    }

    CallbackThreads(ThreadFactory factory) {
        this.factory = factory;
    }

    /** Has a task run by one of the threads; after the end, by the calling one. */
    @Override
    public void execute(Runnable task) {
        if (closed) {
            run(task);
        } else if (!tasks.tryTransfer(task)) {
            tasks.put(task);
            begin();
        }
    }

    private void begin() {
        if (closed) {
            work();
        } else if (threads.getAndIncrement() >= MOST) {
            threads.decrementAndGet();
        } else {
            try {
                factory.newThread(this::workAndEnd).start();
            } catch (Throwable e) {
                threads.decrementAndGet();
                LOG.log(Level.WARNING, "no thread can be had for callbacks; they wait until one can", e);
            }
        }
    }

    private void workAndEnd() {
        try {
            work();
        } finally {
            threads.decrementAndGet();
            if (!tasks.isEmpty()) {
                begin();
            }
        }
    }

    private void work() {
        for (Runnable task = next(); task != null; task = next()) {
            run(task);
        }
    }

    private @Nullable Runnable next() {
        try {
            return closed ? tasks.poll() : tasks.poll(IDLE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return () -> {};
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Leasehold has a fault: a task has failed", e);
        }
    }

    /** Lets the threads end as soon as nothing is left to do. */
    @Override
    public void close() {
        closed = true;
        for (int idle = threads.get(); idle > 0; idle--) {
            tasks.put(() -> {});
        }
        if (threads.get() == 0) {
            work();
        }
    }
}
