package dev.leasehold.redis.connection;

import dev.leasehold.internal.DurationText;
import dev.leasehold.internal.Guard;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A Redis connection is one connection, to one process, for as long as it lives.
 *
 * <p>A command is sent at most once. When the connection breaks, all that is under way fails, and the connection is closed
 * for good, so that no client library sends a command again behind our back: a claim that has been given up must not come
 * to life with a later connection. It also counts as broken when an answer is owed and nothing at all has come in for a
 * while: otherwise it would wait for a peer that is gone without a farewell for as long as the kernel retransmits. It
 * checks twice for silence, some time apart: after a pause of this process the answers may lie here unread.
 * Answers come in the order of the commands; one answer means that all commands before it were answered.
 */
public final class RedisConnection {

    public static final StringCodec CODEC = StringCodec.UTF8;

    /** A pending command has been sent. Given up, it stays in the list, because its answer is still owed. */
    private static final class Pending {
        final AsyncCommand<String, String, List<Object>> command;
        final long sentAt;

        Pending(AsyncCommand<String, String, List<Object>> command, long sentAt) {
            this.command = command;
            this.sentAt = sentAt;
        }
    }

    private final StatefulRedisConnection<String, String> connection;
    private final WriteBatcher writes;
    private final TimeSource time;
    private final long mostSilence;
    private final long answerTimeout;
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    private final Guard mutex = new Guard();
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private boolean watched;
    private boolean suspected;
    private volatile long heardAt;
    private volatile long answeredTo;
    private final Set<Object> known = ConcurrentHashMap.newKeySet();

    RedisConnection(
            StatefulRedisConnection<String, String> connection,
            TimeSource time,
            Duration mostSilence,
            Duration answerTimeout) {
        this.connection = connection;
        this.writes = new WriteBatcher(connection);
        this.time = time;
        this.mostSilence = mostSilence.toNanos();
        this.answerTimeout = answerTimeout.toNanos();
        heardAt = time.nanos();
        answeredTo = heardAt - 1;
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
                lose("the connection broke");
            }
        });
        if (!connection.isOpen()) {
            lose("the connection broke");
        }
    }

    /** Completes when the connection is lost, with the reason. */
    CompletableFuture<String> lost() {
        return lost;
    }

    /** Completes when the connection has been closed, which is somewhat later. */
    CompletableFuture<@Nullable Void> closed() {
        return closed;
    }

    boolean isOpen() {
        return !lost.isDone();
    }

    /**
     * Sends a command.
     *
     * @return the answer, or the server's error; a {@link LostException} if there is none
     */
    public CompletableFuture<List<Object>> send(ProtocolKeyword type, CommandArgs<String, String> args) {
        AsyncCommand<String, String, List<Object>> command =
                new AsyncCommand<>(new Command<>(type, new NestedMultiOutput<>(CODEC), args));
        long now = time.nanos();
        boolean watch;
        mutex.lock();
        try {
            if (lost.isDone()) {
                return CompletableFuture.failedFuture(new LostException(lost.join(), false));
            }
            forgetAnswered();
            pending.addLast(new Pending(command, now));
            watch = !watched;
            watched = true;
        } finally {
            mutex.unlock();
        }
        if (watch) {
            time.schedule(Duration.ofNanos(Math.min(mostSilence - mostSilence / 4, answerTimeout)), this::watch);
        }
        command.whenComplete((answer, failure) -> {
            // Not where Lettuce has given the command up: that says nothing of the server.
            if (failure == null || failure instanceof RedisCommandExecutionException) {
                heard(now);
            }
        });
        writes.send(command);
        return command;
    }

    /** Runs a task on the thread on which answers come in, once that is known and as long as it takes any. */
    public void execute(Runnable task) {
        writes.execute(task);
    }

    /** Returns whether the server has carried out a script on this connection. */
    public boolean knows(Object script) {
        return known.contains(script);
    }

    public void learns(Object script) {
        known.add(script);
    }

    /** Closes the connection. All that is under way fails. */
    public void lose(String why) {
        List<Pending> owed;
        mutex.lock();
        try {
            if (!lost.complete(why)) {
                return;
            }
            owed = new ArrayList<>(pending);
            pending.clear();
        } finally {
            mutex.unlock();
        }
        writes.close();
        connection.closeAsync().whenComplete((done, failure) -> closed.complete(null));
        for (Pending one : owed) {
            one.command.completeExceptionally(new LostException(why, true));
        }
    }

    private void heard(long sentAt) {
        heardAt = time.nanos();
        if (sentAt - answeredTo > 0) {
            answeredTo = sentAt;
        }
    }

    private void forgetAnswered() {
        for (Pending first = pending.peekFirst();
                first != null && first.command.isDone() && first.sentAt - answeredTo <= 0;
                first = pending.peekFirst()) {
            pending.removeFirst();
        }
    }

    private void watch() {
        long now = time.nanos();
        List<Pending> late = new ArrayList<>();
        long next;
        mutex.lock();
        try {
            forgetAnswered();
            Pending oldest = pending.peekFirst();
            if (oldest == null || lost.isDone()) {
                watched = false;
                return;
            }
            long silence = Math.min(now - oldest.sentAt, now - heardAt);
            long suspicious = mostSilence - mostSilence / 4;
            next = suspicious - silence;
            for (Pending one : pending) {
                long left = answerTimeout - (now - one.sentAt);
                if (left > 0) {
                    next = Math.min(next, left);
                    break;
                }
                if (!one.command.isDone()) {
                    late.add(one);
                }
            }
            if (silence < suspicious) {
                suspected = false;
            } else if (!suspected) {
                suspected = true;
                next = mostSilence / 4;
            } else {
                next = 0;
            }
        } finally {
            mutex.unlock();
        }
        for (Pending one : late) {
            one.command.completeExceptionally(new LostException(
                    "there was no answer within " + DurationText.of(Duration.ofNanos(answerTimeout)), true));
        }
        if (next <= 0) {
            lose("nothing came in for " + DurationText.of(Duration.ofNanos(mostSilence))
                    + " although an answer was owed");
        } else {
            time.schedule(Duration.ofNanos(next), this::watch);
        }
    }

    /** There is no answer, and there will be none. */
    public static final class LostException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        final String why;
        final boolean sent;

        public LostException(String why, boolean sent) {
            super(why, null, false, false);
            this.why = why;
            this.sent = sent;
        }
    }
}
