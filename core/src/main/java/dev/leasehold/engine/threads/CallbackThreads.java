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
    private final long idleSeconds;
    private volatile boolean closed;

    CallbackThreads(String name) {
        this(DaemonThreads.named(name), IDLE_SECONDS);
    }

    CallbackThreads(ThreadFactory factory, long idleSeconds) {
        this.factory = factory;
        this.idleSeconds = idleSeconds;
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
        wakeOneAtTheEnd();
    }

    /** Another thread may still wait for a task, since it began to wait while this was open. So each that ends wakes one. */
    private void wakeOneAtTheEnd() {
        if (closed && threads.get() > 0) {
            tasks.put(() -> {});
        }
    }

    private @Nullable Runnable next() {
        try {
            return closed ? tasks.poll() : tasks.poll(idleSeconds, TimeUnit.SECONDS);
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
        if (threads.get() == 0) {
            work();
        }
        wakeOneAtTheEnd();
    }
}
