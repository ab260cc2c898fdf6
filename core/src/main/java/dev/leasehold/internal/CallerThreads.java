package dev.leasehold.internal;

/**
 * Caller threads are what a store of our own may use of the threads that wait for it, beside the contract for stores. The
 * engine asks whether a store implements this; no store has to.
 */
public interface CallerThreads {

    /**
     * Returns whether callers should spin for a fraction of a millisecond before they sleep, which keeps a processor busy.
     * That helps where one server on the same machine or rack answers from memory, or this process by itself.
     *
     * @return false if a caller should sleep at once
     */
    default boolean mayAnswerAtOnce() {
        return false;
    }

    /**
     * Runs {@code request}, which sends requests to this store, on a caller's own thread that is about to wait for their
     * answers. A store whose operations are asynchronous by nature has nothing to add. A store that works with blocking
     * calls may, after {@code request} has returned, carry out on this thread the operations that were requested meanwhile,
     * and spare two changes of threads. It must not do so while {@code request} runs, which is in the middle of the engine.
     * It keeps the thread for less than a second, whatever happens, and leaves its interrupt flag as it is: the caller has
     * yet to check its time limit and the flag. Never called by a virtual thread.
     *
     * @param request what to run, once
     */
    default void runOnCaller(Runnable request) {
        request.run();
    }
}
