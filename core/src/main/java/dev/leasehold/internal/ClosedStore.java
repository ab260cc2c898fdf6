package dev.leasehold.internal;

import dev.leasehold.LockException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A closed store is one whose client has closed it: each operation is refused, and nothing is sent. */
public final class ClosedStore {

    private ClosedStore() {}

    /**
     * Returns the failure of an operation that a closed store was asked for.
     *
     * @param store whose text names it
     * @return the failure; the operation has changed nothing
     */
    public static LockException refusal(Object store) {
        return new LockException("the store " + store + " has been closed by this client; nothing was done");
    }

    /**
     * Starts an operation unless the store is closed.
     *
     * @param closed whether it is
     * @param store whose text names it
     * @param operation starts it; a {@link LockException} that it throws becomes the operation's failure
     * @param <T> what the operation answers
     * @return the operation's stage, or a failed one
     */
    public static <T> CompletionStage<T> unless(boolean closed, Object store, Supplier<CompletionStage<T>> operation) {
        if (closed) {
            return CompletableFuture.failedFuture(refusal(store));
        }
        try {
            return operation.get();
        } catch (LockException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
