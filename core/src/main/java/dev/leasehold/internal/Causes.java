package dev.leasehold.internal;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

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

    /** Returns whether a failure, or what caused it, is of one of these kinds. */
    @SafeVarargs
    public static boolean has(@Nullable Throwable failure, Class<? extends Throwable>... kinds) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Class<? extends Throwable> kind : kinds) {
                if (kind.isInstance(cause)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns what to tell where libraries do not fit together, two versions of one of them, say: trying again is in vain.
     *
     * @param failure the failure
     * @param store which store failed so
     * @return null if that is not the cause
     */
    public static @Nullable String unfit(Throwable failure, String store) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof LinkageError) {
                return "the libraries of the store " + store + " do not fit together: " + cause
                        + ". See which versions are on the class path; trying again is in vain";
            }
        }
        return null;
    }
}
