package dev.leasehold.engine.threads;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
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
    private final ForkJoinPool own;

    public Callbacks(@Nullable Executor users, boolean direct, String threadName) {
        this.users = users;
        this.direct = direct && users != null;
        this.own = CallbackThreads.pool(threadName);
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

    /** Runs a task of the client that may block, on the client's own threads. */
    public void executeOwn(Runnable task) {
        if (direct) {
            task.run();
            return;
        }
        try {
            own.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
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
        own.shutdown();
    }
}
