package dev.leasehold.spring;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stage work is the work of a stage under a lock. It is noted while it goes on, and cancelled at the application's end, still
 * under a valid lease, if that ends it.
 *
 * <p>Which stages are cancelled. Cancelling a plain {@link CompletableFuture} completes it and ends no work: the lock would be
 * given back while the work goes on. So such a stage may only end by itself, and whatever has not ended when the client closes
 * loses its lease, is not renewed, and is cancelled then ({@link dev.leasehold.LockOptions#interruptOnLoss()}). A future whose
 * class has a cancel of its own (that of Reactor's {@code Mono.toFuture()}) is taken at its word: when {@code cancel} has
 * returned, its work has ended. Not before: Reactor's completes first and cancels the subscription then.
 */
final class StageWork {

    private static final CompletableFuture<@Nullable Void> NONE = CompletableFuture.completedFuture(null);

    private final CompletionStage<?> stage;
    private final CompletableFuture<@Nullable Object> end;
    private final AtomicReference<CompletableFuture<@Nullable Void>> cancelling = new AtomicReference<>(NONE);

    private StageWork(CompletionStage<?> stage, CompletableFuture<@Nullable Object> end) {
        this.stage = stage;
        this.end = end;
    }

    /**
     * Has a future complete as the stage does, when its work has ended, and be cancelled with the future. Only the stage and
     * the future refer to the work, which is noted weakly: if nobody can complete the stage, it can be
     * collected, and is not noted any more.
     */
    static void follow(CompletionStage<?> stage, RunningBodies running, CompletableFuture<@Nullable Object> end) {
        StageWork work = new StageWork(stage, end);
        RunningBodies.Body noted = running.enterStage(work);
        try {
            stage.whenComplete((value, failure) -> work.afterCancelling(() -> {
                noted.leave();
                work.end(value, failure);
            }));
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

    /** Cancels the stage, once, if that ends its work. */
    void interrupt() {
        CompletableFuture<@Nullable Void> returned = new CompletableFuture<>();
        if (hasItsOwnCancel(stage) && cancelling.compareAndSet(NONE, returned)) {
            try {
                cancel(stage);
            } finally {
                returned.complete(null);
            }
        }
    }

    /** Runs a task when a cancel that has begun has returned, at once if none has. */
    private void afterCancelling(Runnable task) {
        Objects.requireNonNull(cancelling.get()).whenComplete((returned, none) -> task.run());
    }

    private void end(@Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            end.complete(value);
        } else {
            end.completeExceptionally(failure);
        }
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
