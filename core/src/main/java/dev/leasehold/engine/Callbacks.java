package dev.leasehold.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The way out to users' code: on their executor, or on threads of the client's own. What users' code throws is logged. If
 * their executor refuses, the client's own threads step in, so that a future is completed whatever happens.
 */
final class Callbacks implements Executor, AutoCloseable {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final @Nullable Executor users;
    private final CallbackThreads own;

    Callbacks(@Nullable Executor users, String threadName) {
        this.users = users;
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
        if (users != null) {
            try {
                users.execute(guarded);
                return;
            } catch (RejectedExecutionException e) {
                LOG.log(
                        Level.WARNING,
                        "the executor for callbacks refused a task; it runs on a thread of the client",
                        e);
            }
        }
        try {
            own.execute(guarded);
        } catch (RejectedExecutionException closed) {
            // The client is closed and has no threads any more: on the thread of whoever still asks something of it.
            guarded.run();
        }
    }

    @Override
    public void close() {
        own.close();
    }
}
