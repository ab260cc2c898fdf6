package dev.leasehold.engine.threads;

import dev.leasehold.internal.Guard;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A mailbox hands events to one consumer, one at a time and in order, on the threads that bring them. A thread that brings
 * an event while nobody is at work handles all events that are there; the others only add theirs and go. So an uncontended
 * call runs through on its own thread, and nobody waits for a lock while somebody else does I/O: the guard is held for a
 * queue operation only.
 *
 * <p>Others may bring events as fast as they are handled. So that no thread is kept for ever, one that has handled many
 * passes the rest on to another thread.
 *
 * <p>When the consumer is idle and nothing is left, the mailbox closes for good and refuses further events; their senders
 * make a new mailbox.
 *
 * <p>A consumer that throws has failed, and nobody knows in which state: an Error may come from anywhere, a stack that is
 * full or a heap. So the mailbox closes for good and has the consumer clear up, which gets the events that were left. The
 * thread on which it failed may be unable to do even that. So the failure is first noted with a plain write, which needs
 * nothing, and the next thread that comes clears up if nobody has yet. The exception leaves the mailbox only if clearing up
 * has failed too.
 */
public final class Mailbox<E> {

    /**
     * One thread handles at most this many events in a row: some milliseconds of work, where passing on costs some
     * microseconds.
     */
    static final int MOST_IN_A_ROW = 2_000;

    private final Guard guard = new Guard();
    /** These came while somebody was at work; few mailboxes ever have any. */
    private @Nullable Queue<E> events;

    private final Consumer<E> consumer;
    private final Executor relief;
    private boolean atWork;
    private boolean closed;
    private volatile boolean clearing;
    private volatile boolean cleared;
    private volatile boolean failed;

    /** A consumer handles the events of one mailbox, never two at a time. */
    public interface Consumer<E> {

        /** Handles an event. */
        void handle(E event);

        /** Returns whether the mailbox can be closed without losing anything. */
        boolean isIdle();

        /** Notes that the mailbox has closed because it was idle. */
        void closed();

        /**
         * Clears up after {@link #handle} has thrown and the mailbox has closed. Called again if it throws itself.
         *
         * @param left the events that have not been handled; one that is taken out does not come again
         */
        void failed(Queue<E> left);
    }

    /**
     * Makes an empty mailbox.
     *
     * @param relief another thread to go on, which users' code cannot block; never the calling one
     */
    public Mailbox(Consumer<E> consumer, Executor relief) {
        this.consumer = consumer;
        this.relief = relief;
    }

    /**
     * Puts an event in, and handles all that are there unless another thread does so already. Returns false if the mailbox
     * is closed; then nothing has happened.
     */
    public boolean post(E event) {
        guard.lock();
        try {
            if (closed) {
                return false;
            }
            if (atWork && !failed) {
                if (events == null) {
                    events = new ArrayDeque<>(4);
                }
                events.add(event);
                return true;
            }
            // Nobody is at work, so nothing lies here.
            atWork = true;
        } finally {
            guard.unlock();
        }
        if (failed) {
            clearUp();
            return false;
        }
        goOn(event);
        return true;
    }

    private void work(E first) {
        boolean well = false;
        try {
            handleAll(first);
            well = true;
        } finally {
            if (!well) {
                failed = true;
            }
        }
    }

    private void goOn(E first) {
        try {
            work(first);
        } catch (Throwable e) {
            clearUpSomewhere();
        }
    }

    private void handleAll(E first) {
        E event = first;
        for (int handled = 0; event != null; handled++) {
            if (handled == MOST_IN_A_ROW) {
                E passedOn = event;
                relief.execute(() -> goOn(passedOn));
                return;
            }
            consumer.handle(event);
            event = next();
        }
    }

    /** Returns the next event. If there is none, the work is over, and the mailbox closes if its consumer is idle. */
    private @Nullable E next() {
        guard.lock();
        try {
            E event = events == null ? null : events.poll();
            if (event != null) {
                return event;
            }
            atWork = false;
            if (!consumer.isIdle()) {
                return null;
            }
            closed = true;
        } finally {
            guard.unlock();
        }
        consumer.closed();
        return null;
    }

    private void clearUpSomewhere() {
        try {
            clearUp();
        } catch (Throwable e) {
            relief.execute(this::clearUp);
        }
    }

    /** Has the consumer clear up, unless it has, or is just doing so on this or another thread. */
    private void clearUp() {
        guard.lock();
        try {
            if (cleared || clearing) {
                return;
            }
            clearing = true;
        } finally {
            guard.unlock();
        }
        try {
            consumer.failed(events == null ? new ArrayDeque<>() : events);
            closed = true;
            cleared = true;
        } finally {
            clearing = false;
        }
    }
}
