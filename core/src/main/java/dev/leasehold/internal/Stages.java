package dev.leasehold.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stages complete a future that somebody has already as another stage is completed. */
public final class Stages {

    private Stages() {}

    /** Completes a future with a failure if there is one, else with a value. */
    public static <T extends @Nullable Object> void settle(
            CompletableFuture<T> to, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            to.complete(value);
        } else {
            to.completeExceptionally(failure);
        }
    }

    /** Completes a future as soon as a stage is completed, and as that is. */
    public static <T extends @Nullable Object> void pass(CompletionStage<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, failure) -> settle(to, value, failure));
    }
}
