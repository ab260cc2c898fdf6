package dev.leasehold.engine.threads;

import dev.leasehold.internal.DaemonThreads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The callbacks of a client run users' code, on their executor or on threads of the client's own. Exceptions from users'
 * code are logged.
 *
 * <p>A thread of the engine does not even call the users' executor, which may block, or run the task on its caller. The
 * client's own threads call it, and run the task themselves if it refuses, so that a future is always completed. Only after
 * the client has been closed, when there is no engine any more to be kept free, does the calling thread do it itself. The
 * same holds in tests that bring their own time and executor: they want the same order each time, which a thread in between
 * would spoil.
 */
public final class Callbacks implements Executor, AutoCloseable {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final @Nullable Executor users;
    private final boolean direct;
    private final String threadName;
    private final CallbackThreads own;

    public Callbacks(@Nullable Executor users, boolean direct, String threadName) {
        this.users = users;
        this.direct = direct && users != null;
        this.threadName = threadName;
        this.own = new CallbackThreads(threadName);
    }

    @Override
    public void execute(Runnable callback) {
        Runnable guarded = () -> {
            try {
                callback.run();
            } catch (Throwable e) {
                LOG.log(Level.WARNING, "a callback of a Leasehold client has failed", e);
            }
        };
        Runnable passed = users == null ? guarded : () -> pass(users, guarded);
        executeOwn(passed);
    }

    /**
     * Returns an outcome as a future for users. It completes on their executor. Completing it early gives the call up, even if
     * it was granted but their executor has not delivered that yet.
     *
     * @param known runs on a thread of the engine once the outcome is known
     * @param told gets the outcome where users' code runs, before the future completes
     * @param result makes of the outcome what users get, which is never null
     * @param giveUp runs if nobody gets the outcome, which may be there or not
     */
    @SuppressWarnings("NullAway") // The value of an outcome without a failure is a V.
    public <V extends @Nullable Object, T> CompletableFuture<T> deliver(
            CompletableFuture<V> outcome,
            Runnable known,
            BiConsumer<V, @Nullable Throwable> told,
            Function<V, T> result,
            Runnable giveUp) {
        CompletableFuture<T> future = new CompletableFuture<>();
        AtomicReference<@Nullable T> offered = new AtomicReference<>();
        outcome.whenComplete((value, failure) -> {
            if (!(failure instanceof CancellationException)) {
                known.run();
                execute(() -> {
                    told.accept(value, failure);
                    if (failure != null) {
                        future.completeExceptionally(failure);
                        return;
                    }
                    T users = result.apply(value);
                    offered.set(users);
                    future.complete(users);
                });
            }
        });
        future.whenComplete((value, failure) -> {
            if (value == null || value != offered.get()) {
                giveUp.run();
            }
        });
        return future;
    }

    /** Runs a task of the client that may block, on the client's own threads. */
    public void executeOwn(Runnable task) {
        if (direct) {
            task.run();
        } else {
            own.execute(task);
        }
    }

    /** Runs a task of the client that may block for long, on a thread of its own. */
    public void executeApart(Runnable task) {
        if (direct) {
            task.run();
            return;
        }
        try {
            DaemonThreads.unstarted(threadName, task).start();
        } catch (Throwable e) {
            own.execute(task);
        }
    }

    private static void pass(Executor users, Runnable guarded) {
        try {
            users.execute(guarded);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "the executor for callbacks refused a task; it runs on a thread of the client", e);
            guarded.run();
        }
    }

    @Override
    public void close() {
        own.close();
    }
}
