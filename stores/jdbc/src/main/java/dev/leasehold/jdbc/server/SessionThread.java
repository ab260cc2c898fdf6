package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A session thread is the one daemon thread that a pinned session and all that is known of it belong to. Thread-safe. */
final class SessionThread {

    private static final System.Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final long CLOSING_MILLIS = 1_000;

    private final Workers thread;
    private final Map<Object, CompletableFuture<?>> calls = new ConcurrentHashMap<>();
    private volatile boolean closed;

    SessionThread(String name) {
        this.thread = new Workers(name, 1);
    }

    /** Has the thread do something soon, unless closed. */
    boolean submit(Runnable work) {
        return !closed && thread.submit(new Workers.Task(null, work));
    }

    /** Has the thread do something, and waits for it. */
    <T> T call(Callable<T> work) throws SQLException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Object call = new Object();
        calls.put(call, answer);
        try {
            if (!submit(() -> answer(work, answer))) {
                throw new LockException("this client has been closed; nothing was done");
            }
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        } finally {
            calls.remove(call);
        }
    }

    private static <T> void answer(Callable<T> work, CompletableFuture<T> answer) {
        try {
            answer.complete(work.call());
        } catch (Exception | Error e) {
            answer.completeExceptionally(e);
        }
    }

    /**
     * Ends the thread, after it has done what is given; at once if that takes too long.
     *
     * @param stuck frees the thread from whatever it is waiting for
     */
    void close(Runnable last, Runnable stuck) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        boolean begun = submit(() -> answer(
                () -> {
                    last.run();
                    return true;
                },
                done));
        closed = true;
        try {
            if (begun) {
                done.get(CLOSING_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing", e);
            stuck.run();
        } catch (InterruptedException e) {
            stuck.run();
            Thread.currentThread().interrupt();
        }
        thread.close();
        for (CompletableFuture<?> call : calls.values()) {
            call.completeExceptionally(new LockException("this client was closed meanwhile"));
        }
    }
}
