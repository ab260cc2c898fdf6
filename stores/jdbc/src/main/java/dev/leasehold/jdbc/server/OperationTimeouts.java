package dev.leasehold.jdbc.server;

import dev.leasehold.internal.Guard;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Operation time-outs give operations up when their time is over, by the client's timer: the thread that carries one
 * out may be stuck in a socket. All operations have the same time, so they are over in the order in which they came.
 * Thread-safe.
 */
final class OperationTimeouts {

    private final TimeSource time;
    private final Consumer<StoreOperation<?>> late;
    private final Guard lock = new Guard();
    private final ArrayDeque<StoreOperation<?>> unanswered = new ArrayDeque<>();
    private TimeSource.@Nullable Timer timer;
    private boolean closed;

    OperationTimeouts(TimeSource time, Consumer<StoreOperation<?>> late) {
        this.time = time;
        this.late = late;
    }

    /** Watches over an operation, unless closed. */
    boolean add(StoreOperation<?> operation) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            while (!unanswered.isEmpty() && unanswered.peek().isOver()) {
                unanswered.remove();
            }
            unanswered.add(operation);
            arm();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void arm() {
        StoreOperation<?> next = unanswered.peek();
        if (timer == null && next != null) {
            timer = time.schedule(Duration.ofNanos(Math.max(0, next.deadline() - time.nanos())), this::look);
        }
    }

    private void look() {
        List<StoreOperation<?>> over = new ArrayList<>();
        lock.lock();
        try {
            timer = null;
            long now = time.nanos();
            while (!unanswered.isEmpty()
                    && (unanswered.peek().isOver() || now - unanswered.peek().deadline() >= 0)) {
                over.add(unanswered.remove());
            }
            arm();
        } finally {
            lock.unlock();
        }
        over.forEach(late);
    }

    /** Returns what is unanswered. */
    List<StoreOperation<?>> close() {
        lock.lock();
        try {
            closed = true;
            if (timer != null) {
                timer.cancel();
            }
            List<StoreOperation<?>> left = List.copyOf(unanswered);
            unanswered.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }
}
