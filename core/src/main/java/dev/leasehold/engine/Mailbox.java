package dev.leasehold.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands events to one consumer, one at a time and in order, on whichever thread happens to bring one: whoever finds nobody
 * at work takes all that is there, the others put theirs in and go. So an uncontended call runs through on its own thread,
 * and nobody waits for a lock while somebody else does I/O: the guard is held for a queue operation only.
 *
 * <p>Others may bring events as fast as they are handled. So nobody is kept for ever, whoever has handled many passes the rest
 * on to another thread.
 *
 * <p>What the consumer throws comes out at whoever brought an event, after the rest has been handled.
 *
 * <p>When the consumer is idle and nothing is left, the mailbox closes for good and refuses further events; whoever is
 * refused gets a new one.
 */
final class Mailbox<E> {

    /** Some milliseconds of work; passing on costs some microseconds. */
    static final int MOST_IN_A_ROW = 2_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Queue<E> events = new ArrayDeque<>();
    private final Consumer<E> consumer;
    private final BooleanSupplier idle;
    private final Runnable whenClosed;
    private final Executor relief;
    private boolean atWork;
    private boolean closed;

    /**
     * Makes one.
     *
     * @param idle whether nothing would be forgotten if the mailbox were closed
     * @param relief another thread to go on, which users' code cannot block; never the calling one
     */
    Mailbox(Consumer<E> consumer, BooleanSupplier idle, Runnable whenClosed, Executor relief) {
        this.consumer = consumer;
        this.idle = idle;
        this.whenClosed = whenClosed;
        this.relief = relief;
    }

    /**
     * Puts an event in, and handles what is there unless somebody else does already.
     *
     * @return false if the mailbox is closed; then nothing has happened
     */
    boolean post(E event) {
        guard.lock();
        try {
            if (closed) {
                return false;
            }
            if (atWork) {
                events.add(event);
                return true;
            }
            // Nobody is at work, so nothing lies here.
            atWork = true;
        } finally {
            guard.unlock();
        }
        work(event);
        return true;
    }

    private void work(@Nullable E first) {
        E event = first == null ? next() : first;
        for (int handled = 0; event != null; handled++) {
            if (handled == MOST_IN_A_ROW) {
                E passedOn = event;
                relief.execute(() -> work(passedOn));
                return;
            }
            boolean well = false;
            try {
                consumer.accept(event);
                well = true;
            } finally {
                if (!well) {
                    work(null);
                }
            }
            event = next();
        }
    }

    /** The next event; if there is none, the work is over, and perhaps the mailbox. */
    private @Nullable E next() {
        guard.lock();
        try {
            E event = events.poll();
            if (event != null) {
                return event;
            }
            atWork = false;
            if (!idle.getAsBoolean()) {
                return null;
            }
            closed = true;
        } finally {
            guard.unlock();
        }
        whenClosed.run();
        return null;
    }
}
