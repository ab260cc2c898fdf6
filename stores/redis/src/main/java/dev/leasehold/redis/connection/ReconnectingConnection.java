package dev.leasehold.redis.connection;

import dev.leasehold.internal.DurationText;
import dev.leasehold.internal.Guard;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reconnecting connection is one to one server that reopens itself. The first caller opens it; whenever it is lost it is
 * opened again, after pauses that grow until a connection has lived for a second. While there is none, callers wait for the
 * attempt under way, or are refused with the failure of the last one: nothing is kept back to be sent later.
 */
public final class ReconnectingConnection {

    private static final Logger LOG = System.getLogger("dev.leasehold.redis");
    private static final String CLOSED = "it has been closed by this client";
    private static final long FIRST_PAUSE_NANOS = 20_000_000L;
    private static final long MOST_PAUSE_NANOS = 1_000_000_000L;
    /** A connection that is lost sooner counts as one that could not be made: of a master that was demoted, say. */
    private static final long LEAST_LIFE_NANOS = 1_000_000_000L;
    /** So many short-lived connections in a row may be chance, so that no caller is refused yet. */
    private static final int SHORT_LIVES = 5;

    private final String name;
    private final Supplier<CompletionStage<RedisConnection>> opener;
    private final TimeSource time;
    private final Function<Boolean, Duration> longest;
    private final Runnable reopened;

    private final Guard mutex = new Guard();
    private volatile @Nullable RedisConnection connection;
    private @Nullable CompletableFuture<RedisConnection> opening;
    private final Queue<CompletableFuture<RedisConnection>> waiting = new ArrayDeque<>();
    private @Nullable Throwable lastFailure;
    private int failures;
    private long notBefore;
    private boolean everOpen;
    private boolean closed;

    /**
     * Makes a connection, without opening it.
     *
     * @param name the node, in messages
     * @param opener opens a connection; never twice at once
     * @param longest how long opening may take, the first time and later
     * @param reopened runs after a lost connection has been replaced
     */
    ReconnectingConnection(
            String name,
            Supplier<CompletionStage<RedisConnection>> opener,
            TimeSource time,
            Function<Boolean, Duration> longest,
            Runnable reopened) {
        this.name = name;
        this.opener = opener;
        this.time = time;
        this.longest = longest;
        this.reopened = reopened;
    }

    /** Returns the connection if it is open now. */
    public @Nullable RedisConnection now() {
        RedisConnection open = connection;
        return open != null && open.isOpen() ? open : null;
    }

    /**
     * Returns why the last attempt to open has failed, or why connections are lost again and again as soon as they are open;
     * null if neither is so, or if there was no attempt since the connection was lost.
     */
    public @Nullable Throwable lastFailure() {
        mutex.lock();
        try {
            return lastFailure;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the connection, and opens it if need be. Waiting callers get it in the order in which they came. */
    public CompletableFuture<RedisConnection> open() {
        CompletableFuture<RedisConnection> own = new CompletableFuture<>();
        CompletableFuture<RedisConnection> attempt;
        Duration limit;
        mutex.lock();
        try {
            RedisConnection open = now();
            if (open != null) {
                return CompletableFuture.completedFuture(open);
            }
            if (closed) {
                return CompletableFuture.failedFuture(closedByUs());
            }
            if (opening != null) {
                waiting.add(own);
                return own;
            }
            Throwable failure = lastFailure;
            if (failure != null && time.nanos() - notBefore < 0) {
                return CompletableFuture.failedFuture(failure);
            }
            attempt = new CompletableFuture<>();
            opening = attempt;
            limit = longest.apply(!everOpen);
            waiting.add(own);
        } finally {
            mutex.unlock();
        }
        TimeSource.Timer timer = time.schedule(
                limit,
                () -> attempt.completeExceptionally(new RedisConnection.LostException(
                        "no connection could be made within " + DurationText.of(limit), false)));
        attempt.whenComplete((opened, failure) -> {
            timer.cancel();
            if (opened != null) {
                serve(opened);
            }
            settle(attempt, opened, failure);
        });
        begin(attempt);
        return own;
    }

    private void begin(CompletableFuture<RedisConnection> attempt) {
        CompletionStage<RedisConnection> opened;
        try {
            opened = opener.get();
        } catch (RuntimeException | LinkageError e) {
            opened = CompletableFuture.failedFuture(e);
        }
        opened.whenComplete((fresh, failure) -> {
            if (failure != null) {
                attempt.completeExceptionally(failure);
            } else if (!attempt.complete(fresh)) {
                fresh.lose("it was opened too late");
            }
        });
    }

    /**
     * Hands the connection to the waiting callers, one after the other and before any later caller can have it: requests are
     * sent in the order of the calls, as a claim before its withdrawal.
     */
    private void serve(RedisConnection opened) {
        while (true) {
            CompletableFuture<RedisConnection> next;
            mutex.lock();
            try {
                next = closed ? null : waiting.poll();
                if (next == null) {
                    connection = closed ? null : opened;
                    return;
                }
            } finally {
                mutex.unlock();
            }
            next.complete(opened);
        }
    }

    private void settle(
            CompletableFuture<RedisConnection> attempt, @Nullable RedisConnection opened, @Nullable Throwable failure) {
        boolean again;
        boolean retry;
        boolean refused;
        long rest;
        List<CompletableFuture<RedisConnection>> unserved;
        mutex.lock();
        try {
            unserved = List.copyOf(waiting);
            waiting.clear();
            rest = pause(failures);
            if (opening == attempt) {
                opening = null;
            }
            refused = closed;
            again = everOpen;
            if (opened != null && !refused) {
                everOpen = true;
                lastFailure = null;
            } else {
                lastFailure = failure;
                failures++;
                notBefore = time.nanos() + rest;
            }
            retry = opened == null && again && !refused;
        } finally {
            mutex.unlock();
        }
        if (retry) {
            time.schedule(Duration.ofNanos(rest), this::open);
        }
        if (opened == null || refused) {
            Throwable why = failure != null ? failure : closedByUs();
            unserved.forEach(one -> one.completeExceptionally(why));
            if (opened != null) {
                opened.lose(CLOSED);
            }
            return;
        }
        unserved.forEach(one -> one.complete(opened));
        if (again) {
            LOG.log(Level.INFO, "connected to {0} again", name);
            reopened.run();
        }
        long openedAt = time.nanos();
        opened.lost().thenAccept(why -> lost(openedAt, why));
    }

    private void lost(long openedAt, String why) {
        boolean silent;
        long rest;
        mutex.lock();
        try {
            silent = closed;
            long now = time.nanos();
            if (now - openedAt >= LEAST_LIFE_NANOS) {
                failures = 0;
            }
            rest = pause(failures);
            if (now - openedAt < LEAST_LIFE_NANOS && failures++ >= SHORT_LIVES) {
                lastFailure = new RedisConnection.LostException(why, false);
                notBefore = now + rest;
            }
        } finally {
            mutex.unlock();
        }
        if (!silent) {
            LOG.log(Level.INFO, "lost the connection to {0}: {1}; connecting again", name, why);
            time.schedule(Duration.ofNanos(rest), this::open);
        }
    }

    private static long pause(int failures) {
        long pause = Math.min(MOST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures, 6));
        return (long) (pause * (0.5 + ThreadLocalRandom.current().nextDouble() / 2));
    }

    /** Closes the connection, and opens none any more. The stage completes when it is closed. */
    public CompletableFuture<@Nullable Void> close() {
        RedisConnection open;
        CompletableFuture<RedisConnection> attempt;
        mutex.lock();
        try {
            closed = true;
            open = connection;
            attempt = opening;
        } finally {
            mutex.unlock();
        }
        if (attempt != null) {
            attempt.completeExceptionally(closedByUs());
        }
        if (open == null) {
            return CompletableFuture.completedFuture(null);
        }
        open.lose(CLOSED);
        return open.closed();
    }

    private static RedisConnection.LostException closedByUs() {
        return new RedisConnection.LostException(CLOSED, false);
    }
}
