package dev.leasehold.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Hands events to one consumer, one at a time and in order, on whichever thread happens to bring one: whoever finds nobody
 * at work takes all that is there, the others put theirs in and go. So an uncontended call runs through on its own thread,
 * and nobody waits for a lock while somebody else does I/O: the guard is held for a queue operation only.
 *
 * <p>What the consumer throws comes out at whoever brought an event, after the rest has been handled.
 *
 * <p>When the consumer is idle and nothing is left, the mailbox closes for good and refuses further events; whoever is
 * refused gets a new one.
 */
final class Mailbox<E> {

    private final ReentrantLock guard = new ReentrantLock();
    private final Queue<E> events = new ArrayDeque<>();
    private final Consumer<E> consumer;
    private final BooleanSupplier idle;
    private final Runnable whenClosed;
    private boolean atWork;
    private boolean closed;

    Mailbox(Consumer<E> consumer, BooleanSupplier idle, Runnable whenClosed) {
        this.consumer = consumer;
        this.idle = idle;
        this.whenClosed = whenClosed;
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
            events.add(event);
            if (atWork) {
                return true;
            }
            atWork = true;
        } finally {
            guard.unlock();
        }
        work();
        return true;
    }

    private void work() {
        while (true) {
            E event;
            guard.lock();
            try {
                event = events.poll();
                if (event == null) {
                    atWork = false;
                    if (!idle.getAsBoolean()) {
                        return;
                    }
                    closed = true;
                }
            } finally {
                guard.unlock();
            }
            if (event == null) {
                whenClosed.run();
                return;
            }
            boolean handled = false;
            try {
                consumer.accept(event);
                handled = true;
            } finally {
                if (!handled) {
                    work();
                }
            }
        }
    }
}
