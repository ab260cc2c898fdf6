package dev.leasehold.internal;

import java.util.concurrent.CompletionException;

/** Causes finds the cause of a failure below the exceptions that futures wrap around it. */
public final class Causes {

    private Causes() {}

    /**
     * Returns the failure itself.
     *
     * @param failure as a future's callback is given it
     * @return the first that is no {@link CompletionException} with a cause
     */
    public static Throwable of(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
