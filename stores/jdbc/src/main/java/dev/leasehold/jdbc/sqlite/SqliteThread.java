package dev.leasehold.jdbc.sqlite;

import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.internal.Guard;
import dev.leasehold.internal.Timeouts;
import dev.leasehold.jdbc.protocol.LocalClients;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.StoreContext;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The SQLite thread is the one thread of an embedded store: it alone touches the database, in the order in which it was
 * asked to. So a request that comes after another never overtakes it, not even one whose answer was given up.
 *
 * <p>The thread may be stuck in the operating system. Therefore the client's timer, not this thread, gives up operations whose
 * time is over. The thread starts with the first operation, sleeps while there is nothing to do, and ends when closed.
 */
public final class SqliteThread implements LocalClients.LocalClient {

    private static final long JOIN_TIMEOUT_MILLIS = 2_000;

    private final StoreFile file;
    private final StoreContext context;
    private final SqliteWorker worker;
    private final Guard lock = new Guard();
    private final ArrayDeque<StoreOperation<?>> queue = new ArrayDeque<>();
    private final Timeouts<StoreOperation<?>> timeouts;

    private @Nullable Thread thread;
    private boolean nudged;
    private boolean closed;

    public SqliteThread(StoreFile file, StoreContext context, ExpiryClock clock) {
        this.file = file;
        this.context = context;
        this.worker = new SqliteWorker(file, context, clock, this);
        this.timeouts = new Timeouts<>(
                context.time()::nanos,
                (delay, task) -> context.time().schedule(delay, task)::cancel,
                context.storeTimeout(),
                StoreOperation::isOver,
                this::giveUp);
    }

    /** Returns the poller, only for the notes of operations, which run on this thread. */
    SqlitePoller poller() {
        return worker.poller();
    }

    public void submit(StoreOperation<?> operation) {
        lock.lock();
        try {
            if (timeouts.add(operation, context.time().nanos())) {
                queue.add(operation);
                start();
                LockSupport.unpark(thread);
                return;
            }
        } finally {
            lock.unlock();
        }
        operation.fail(outcome -> SqliteFailures.closed(file));
    }

    @Override
    public String client() {
        return context.clientId();
    }

    @Override
    public void nudge() {
        lock.lock();
        try {
            nudged = true;
            LockSupport.unpark(thread);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void doubt(String name) {
        context.signals().doubt(name);
    }

    public void close() {
        List<StoreOperation<?>> left;
        Thread running;
        lock.lock();
        try {
            closed = true;
            queue.clear();
            left = timeouts.close();
            running = thread;
            LockSupport.unpark(thread);
        } finally {
            lock.unlock();
        }
        left.forEach(operation -> operation.fail(outcome -> SqliteFailures.closedMeanwhile(file, outcome)));
        if (running != null && running != Thread.currentThread()) {
            awaitEnd(running);
        }
    }

    private static void awaitEnd(Thread running) {
        try {
            running.join(JOIN_TIMEOUT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void start() {
        if (thread == null) {
            String id = context.clientId()
                    .substring(0, Math.min(8, context.clientId().length()));
            thread = DaemonThreads.unstarted("leasehold-sqlite-" + id, this::run);
            thread.start();
        }
    }

    private void run() {
        try {
            while (step()) {
                // Until closed.
            }
        } finally {
            worker.disconnect();
        }
    }

    private boolean step() {
        StoreOperation<?> operation;
        boolean wasNudged;
        lock.lock();
        try {
            if (queue.isEmpty() && !nudged && !closed) {
                sleep(worker.nanosToNextLook());
            }
            if (closed) {
                return false;
            }
            operation = queue.poll();
            wasNudged = nudged;
            nudged = false;
        } finally {
            lock.unlock();
        }
        if (operation != null) {
            worker.perform(operation);
        }
        if (wasNudged || worker.nanosToNextLook() <= 0) {
            worker.look(wasNudged);
        }
        return true;
    }

    /** Sleeps outside the lock until something is to do, or for no reason: a step too many does no harm. */
    private void sleep(long nanos) {
        lock.unlock();
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else if (nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
        Thread.interrupted(); // Nobody but the operating system ends this thread.
        lock.lock();
    }

    /** The thread may be stuck for long, and would else keep each of the client's retries. */
    private void giveUp(List<StoreOperation<?>> late) {
        lock.lock();
        try {
            queue.removeAll(late);
        } finally {
            lock.unlock();
        }
        boolean locked = worker.isLocked();
        for (StoreOperation<?> operation : late) {
            operation.fail(outcome -> SqliteFailures.timedOut(file, timeouts.limit(), outcome, locked));
        }
    }
}
