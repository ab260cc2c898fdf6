package dev.leasehold.spring;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Stage work is the work of a stage under a lock. It is noted while it goes on, and cancelled at the application's end, still
 * under a valid lease, if that ends it.
 *
 * <p>Which stages are cancelled. Cancelling a plain {@link CompletableFuture} completes it and ends no work: the lock would be
 * given back while the work goes on. So such a stage may only end by itself, and whatever has not ended when the client closes
 * loses its lease, is not renewed, and is cancelled then ({@link dev.leasehold.LockOptions#interruptOnLoss()}). A future whose
 * class has a cancel of its own (Reactor's {@code Mono.toFuture()}) is taken at its word.
 */
final class StageWork {

    private StageWork() {}

    /** Notes a stage until it has completed. It is referred to weakly: if nobody can complete it, its lease is dropped. */
    static void note(CompletionStage<?> stage, RunningBodies running) {
        WeakReference<CompletionStage<?>> weakly = new WeakReference<>(stage);
        RunningBodies.Body noted = running.enterUnbound(() -> {
            CompletionStage<?> there = weakly.get();
            if (there != null && hasItsOwnCancel(there)) {
                cancel(there);
            }
        });
        stage.whenComplete((value, failure) -> noted.leave());
    }

    private static boolean hasItsOwnCancel(CompletionStage<?> stage) {
        try {
            return stage instanceof Future<?>
                    && stage.getClass().getMethod("cancel", boolean.class).getDeclaringClass()
                            != CompletableFuture.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /** Cancels a stage, as far as it can be cancelled. */
    static void cancel(CompletionStage<?> stage) {
        try {
            if (stage instanceof Future<?> future) {
                future.cancel(true);
            } else {
                stage.toCompletableFuture().cancel(true);
            }
        } catch (UnsupportedOperationException e) {
            // Its maker has not allowed that.
        }
    }

    /** Has one future end as a stage does, and the stage be cancelled with the future. */
    static void follow(CompletionStage<@Nullable Object> stage, CompletableFuture<@Nullable Object> end) {
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                end.complete(value);
            } else {
                end.completeExceptionally(failure);
            }
        });
        end.whenComplete((value, failure) -> {
            if (end.isCancelled()) {
                cancel(stage);
            }
        });
    }
}
