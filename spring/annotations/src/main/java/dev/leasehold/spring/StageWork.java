package dev.leasehold.spring;

import dev.leasehold.spring.internal.RunningBodies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Stage work is the work of a stage under a lock, noted while it goes on.
 *
 * <p>Why the application's end does not cancel it. Cancelling a {@link CompletableFuture} completes it and ends no work: the lock
 * would be given back while the work goes on. So a stage may only end by itself, and whatever has not ended when the client
 * closes loses its lease, is not renewed, and is cancelled then ({@link dev.leasehold.LockOptions#interruptOnLoss()}).
 */
final class StageWork {

    private StageWork() {}

    /**
     * Has a future complete as the stage does, and the stage be cancelled with the future. The future is noted weakly, and only
     * the stage refers to it: if nobody can complete the stage, both can be collected, and the work is not noted any more.
     */
    static void follow(CompletionStage<?> stage, RunningBodies running, CompletableFuture<@Nullable Object> end) {
        RunningBodies.Body noted = running.enterStage(end);
        try {
            stage.whenComplete((value, failure) -> {
                noted.leave();
                if (failure == null) {
                    end.complete(value);
                } else {
                    end.completeExceptionally(failure);
                }
            });
        } catch (Throwable e) {
            noted.leave();
            throw e;
        }
        end.whenComplete((value, failure) -> {
            if (end.isCancelled()) {
                cancel(stage);
            }
        });
    }

    private static void cancel(CompletionStage<?> stage) {
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
}
