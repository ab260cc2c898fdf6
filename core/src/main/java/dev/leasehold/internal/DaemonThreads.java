package dev.leasehold.internal;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/**
 * Daemon threads are the threads of a client and of its stores: they inherit nothing from the thread that happens to make
 * them. A thread lives as long as its client. If it kept the inheritable thread-locals and the context class loader of its
 * first caller, it would do everybody's work as that caller's tenant, with that caller's routing, and keep a redeployed
 * application in memory.
 */
public final class DaemonThreads {

    private DaemonThreads() {}

    /**
     * Makes a thread.
     *
     * @param name its name, which begins with {@code leasehold-}
     * @param task what it runs
     * @return the thread, which has not been started
     */
    public static Thread unstarted(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }

    /**
     * Makes threads of one name.
     *
     * @param name their name, which begins with {@code leasehold-}
     * @return the factory
     */
    public static ThreadFactory named(String name) {
        return task -> unstarted(name, task);
    }

    /**
     * Makes an object that makes threads of its own, where these take after the thread that makes the object: it is made on
     * a thread that has nothing to inherit. Waits for it, also through an interrupt.
     *
     * @param <T> what is made
     * @param name the name of that thread, which some such objects give to their own
     * @param maker makes the object
     * @return the object
     * @throws java.util.concurrent.CompletionException around any exception of {@code maker}
     */
    public static <T> T inheritNothing(String name, Callable<T> maker) {
        CompletableFuture<T> made = new CompletableFuture<>();
        Thread thread = unstarted(name, () -> {
            try {
                made.complete(maker.call());
            } catch (Throwable e) {
                made.completeExceptionally(e);
            }
        });
        thread.start();
        return made.join();
    }
}
