package dev.leasehold.engine;

import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockBusyException;
import dev.leasehold.internal.Causes;
import dev.leasehold.spi.TimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous scope calls a body under a lease, and releases the lease when the stage that the body has returned has
 * completed. Completing the result early withdraws the claim. A stage that the body has returned already is not cancelled: a
 * {@link CompletableFuture} that is cancelled completes at once while its work goes on, and the lease would be given back
 * under that work. So the lease is given back only after the stage has completed by itself, unless it is lost anyway.
 *
 * <p>Only the stage refers to the lease while the body is at work: if nobody can complete the stage any more, the lease is
 * noticed as dropped, like any other.
 */
final class AsyncScope<T extends @Nullable Object> {

    private static final Duration RELEASE_WAIT = Duration.ofSeconds(1);

    private final Client client;
    private final LeaseFunction<? extends CompletionStage<T>, ?> body;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private volatile @Nullable CompletionStage<T> atWork;
    private volatile boolean cancelledForLoss;

    private AsyncScope(Client client, LeaseFunction<? extends CompletionStage<T>, ?> body) {
        this.client = client;
        this.body = body;
    }

    static <T extends @Nullable Object> CompletableFuture<T> call(
            Client client, Request request, String limit, LeaseFunction<? extends CompletionStage<T>, ?> body) {
        AsyncScope<T> scope = new AsyncScope<>(client, body);
        CompletableFuture<Optional<HeldLease>> acquiring = request.async(Optional::ofNullable);
        AtomicReference<@Nullable CompletableFuture<?>> waiting = new AtomicReference<>(acquiring);
        scope.result.whenComplete((value, failure) -> cancel(waiting.get()));
        acquiring.whenComplete((lease, failure) -> {
            waiting.set(null); // It has the lease, and the caller keeps the result.
            if (failure != null) {
                scope.result.completeExceptionally(failure);
            } else if (lease.isEmpty()) {
                scope.result.completeExceptionally(new LockBusyException(request.name(), limit));
            } else {
                scope.begin(lease.get());
            }
        });
        return scope.result;
    }

    private static void cancel(@Nullable CompletableFuture<?> waiting) {
        if (waiting != null) {
            waiting.cancel(false);
        }
    }

    private void begin(HeldLease lease) {
        if (result.isDone()) {
            lease.hold().notDelivered();
            lease.end();
            return;
        }
        try {
            CompletionStage<T> stage = Objects.requireNonNull(body.call(lease), "the stage that the body returns");
            atWork = stage;
            if (lease.hold().options().interruptOnLoss()) {
                WeakReference<AsyncScope<T>> weakly = new WeakReference<>(this);
                lease.hold().ended.thenAccept(state -> cancelIfLost(weakly.get(), state));
            }
            stage.whenComplete((value, failure) -> end(lease, value, failure == null ? null : Causes.of(failure)));
        } catch (Throwable e) {
            end(lease, null, e);
        }
    }

    /**
     * Cancels the stage after a loss, on a thread for users' code: its dependents may run there. The hold, which tells of
     * the loss, does not keep the scope: that refers to the stage, and so the lease would never be noticed as dropped.
     */
    private static void cancelIfLost(@Nullable AsyncScope<?> scope, LeaseState state) {
        if (scope != null && state == LeaseState.LOST) {
            scope.client.callbacks().execute(() -> {
                scope.cancelledForLoss = true;
                scope.cancelStage();
            });
        }
    }

    private void cancelStage() {
        CompletionStage<T> stage = atWork;
        if (stage != null) {
            try {
                stage.toCompletableFuture().cancel(true);
            } catch (UnsupportedOperationException e) {
                // It cannot be cancelled; its end is waited for.
            }
        }
    }

    /** Gives the lease back and waits a moment for the store, then completes the result on a thread for users' code. */
    private void end(HeldLease lease, @Nullable T value, @Nullable Throwable failure) {
        LeaseState before = lease.look();
        CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
        over.whenComplete((done, none) -> client.callbacks().execute(() -> complete(lease, before, value, failure)));
        lease.end();
        if (!lease.hold().released.isDone()) {
            TimeSource.Timer limit = client.time().schedule(RELEASE_WAIT, () -> over.complete(null));
            over.whenComplete((done, none) -> limit.cancel());
        }
        lease.hold().released.whenComplete((state, unanswered) -> over.complete(null));
    }

    @SuppressWarnings("NullAway") // The value of a stage that has completed normally is a T.
    private void complete(HeldLease lease, LeaseState before, @Nullable T value, @Nullable Throwable failure) {
        LeaseLostException lost = lease.judge(before);
        if (failure == null && lost == null) {
            result.complete(value);
        } else if (lost == null) {
            result.completeExceptionally(failure);
        } else if (failure == null) {
            result.completeExceptionally(lost);
        } else if (cancelledForLoss && failure instanceof CancellationException) {
            lost.addSuppressed(failure);
            result.completeExceptionally(lost);
        } else {
            failure.addSuppressed(lost);
            result.completeExceptionally(failure);
        }
    }
}
