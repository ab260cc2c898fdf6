package dev.leasehold.engine;

import dev.leasehold.LockException;
import dev.leasehold.engine.queue.Action;
import dev.leasehold.engine.queue.Caller;
import dev.leasehold.engine.queue.Hold;
import dev.leasehold.engine.queue.LocalQueue;
import dev.leasehold.engine.queue.Loss;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** The client's log tells an operator what happens to its locks: waits, refusals, losses and breaks. */
final class ClientLog {

    private static final Logger LOG = System.getLogger("dev.leasehold");
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    /** An outage may take thousands of leases at once. */
    private static final int MOST_LOSSES_A_MINUTE = 10;

    private record Minute(long from, int losses) {}

    private final TimeSource time;
    private final String client;
    private final AtomicReference<Minute> minute = new AtomicReference<>(new Minute(0, 0));

    ClientLog(TimeSource time, String client) {
        this.time = time;
        this.client = client;
    }

    void loss(String lock, Hold hold) {
        Loss loss = hold.loss;
        LockException failure = loss == null ? null : loss.failure();
        String why = (loss == null ? "its lease ran out" : loss.why())
                + (failure == null ? "" : "; the last failure: " + failure.getMessage());
        int losses = lossesOfThisMinute();
        attempt(() -> LOG.log(
                losses <= MOST_LOSSES_A_MINUTE ? Level.WARNING : Level.DEBUG,
                "the lock ''{0}'' with token {1} was lost: {2}",
                lock,
                Long.toString(hold.token()),
                why));
        if (losses == MOST_LOSSES_A_MINUTE) {
            attempt(() -> LOG.log(Level.WARNING, "further losses of the next minute are logged at DEBUG"));
        }
    }

    private int lossesOfThisMinute() {
        long now = time.nanos();
        return minute.updateAndGet(last -> last.losses() == 0 || now - last.from() >= MINUTE_NANOS
                        ? new Minute(now, 1)
                        : new Minute(last.from(), last.losses() + 1))
                .losses();
    }

    void waited(String lock, Caller caller) {
        attempt(() -> {
            Supplier<String> holder = caller.waitedFor;
            if (holder != null && LOG.isLoggable(Level.DEBUG)) {
                LOG.log(
                        Level.DEBUG,
                        "the lock ''{0}'' was waited for for {1}: it was held by {2}",
                        lock,
                        DurationText.of(Duration.ofNanos(time.nanos() - caller.joinedAt)),
                        holder.get());
            }
        });
    }

    void busy(String lock, LocalQueue queue) {
        attempt(() -> {
            if (LOG.isLoggable(Level.DEBUG)) {
                LOG.log(Level.DEBUG, "the lock ''{0}'' was busy: it is held by {1}", lock, queue.holder());
            }
        });
    }

    void waitsLong(String lock, Action.WaitsLong waits, LocalQueue queue) {
        attempt(() -> LOG.log(
                Level.INFO,
                "the lock ''{0}'' has been waited for here for {1} by {2} without limit: it is held by {3}",
                lock,
                DurationText.of(waits.waited()),
                waits.callers() == 1 ? "1 caller" : waits.callers() + " callers",
                queue.holder()));
    }

    void broke(String lock, long token) {
        LOG.log(
                Level.INFO,
                "this client, {0}, has broken the lock ''{1}'' with token {2}",
                client,
                lock,
                Long.toString(token));
    }

    /** A logger that fails must not keep a caller from its answer. */
    private static void attempt(Runnable line) {
        try {
            line.run();
        } catch (RuntimeException | Error e) {
            // Nobody can be told.
        }
    }
}
