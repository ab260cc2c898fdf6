package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Request time-outs see to it that every answer comes within the store's time-out, if only to say that there is none.
 * All wait equally long, so the first to begin is the first to end, and one timer is enough. Used by tasks of the
 * client's serial executor only.
 */
final class RequestTimeouts {

    private record Waiting(CompletableFuture<?> answer, long until, Supplier<LockException> failure) {}

    private final TimeSource time;
    private final Duration limit;
    private final SerialExecutor serial;
    private final Deque<Waiting> all = new ArrayDeque<>();
    private boolean armed;

    RequestTimeouts(TimeSource time, Duration limit, SerialExecutor serial) {
        this.time = time;
        // The engine measures the same time from a little earlier.
        this.limit = limit.minus(limit.dividedBy(20));
        this.serial = serial;
    }

    /**
     * Begins to wait for an answer.
     *
     * @param asked when the store was asked, on the client's clock: the first question also starts the connection, which may
     *     take longer than the engine waits after us, and then the engine says that the outcome is unknown where we know it
     */
    void await(CompletableFuture<?> answer, long asked, Supplier<LockException> failure) {
        forgetAnswered();
        if (!answer.isDone()) {
            all.addLast(new Waiting(answer, asked + limit.toNanos(), failure));
            arm();
        }
    }

    private void forgetAnswered() {
        while (!all.isEmpty() && all.getFirst().answer().isDone()) {
            all.removeFirst();
        }
    }

    private void arm() {
        if (!armed && !all.isEmpty()) {
            armed = true;
            long left = Math.max(0, all.getFirst().until() - time.nanos());
            time.schedule(Duration.ofNanos(left), () -> serial.execute(this::look));
        }
    }

    private void look() {
        armed = false;
        long now = time.nanos();
        forgetAnswered();
        while (!all.isEmpty() && now - all.getFirst().until() >= 0) {
            Waiting over = all.removeFirst();
            over.answer().completeExceptionally(over.failure().get());
            forgetAnswered();
        }
        arm();
    }

    void failAll(Supplier<LockException> failure) {
        while (!all.isEmpty()) {
            all.removeFirst().answer().completeExceptionally(failure.get());
        }
    }
}
