package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.LockBusyException;
import dev.leasehold.LockException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A stage call runs a body under a lock that is held until the stage that the body returns has completed. */
record StageCall(DistributedLock lock, Duration maxWait, String template) {

    /** What to return for a busy lock; null to fail. */
    private static CompletableFuture<@Nullable Object> orNothing(
            CompletableFuture<@Nullable Object> call, AtomicBoolean entered, @Nullable Supplier<@Nullable Object> nothing) {
        if (nothing == null) {
            return call;
        }
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        call.whenComplete((value, failure) -> {
            Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            if (cause == null) {
                result.complete(value);
            } else if (cause instanceof LockBusyException && !entered.get()) {
                result.complete(nothing.get());
            } else {
                result.completeExceptionally(cause);
            }
        });
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                call.cancel(true);
            }
        });
        return result;
    }

    /** Never blocks; the body is called on the client's executor. */
    CompletableFuture<@Nullable Object> run(
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body,
            @Nullable Supplier<@Nullable Object> nothing) {
        AtomicBoolean entered = new AtomicBoolean();
        return orNothing(
                ask(lease -> {
                    entered.set(true);
                    return body.call(lease);
                }),
                entered,
                nothing);
    }

    /** Waits for the lock and calls the body on this thread, for methods that are called on a thread of their own. */
    CompletableFuture<@Nullable Object> runHere(
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body,
            @Nullable Supplier<@Nullable Object> nothing) {
        AtomicBoolean entered = new AtomicBoolean();
        CompletableFuture<Lease> granted = new CompletableFuture<>();
        CompletableFuture<@Nullable Object> work = new CompletableFuture<>();
        CompletableFuture<@Nullable Object> call = ask(lease -> {
            entered.set(true);
            granted.complete(lease);
            return work;
        });
        call.whenComplete((value, failure) -> granted.cancel(false));
        Lease lease;
        try {
            lease = granted.get();
        } catch (InterruptedException e) {
            call.cancel(false);
            work.cancel(false);
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(new LockException(
                    "the thread was interrupted while it waited for the lock '" + lock.name()
                            + "'; nothing was run",
                    e));
        } catch (ExecutionException | java.util.concurrent.CancellationException e) {
            return orNothing(call, entered, nothing);
        }
        try {
            body.call(lease).whenComplete((value, failure) -> {
                if (failure == null) {
                    work.complete(value);
                } else {
                    work.completeExceptionally(failure);
                }
            });
        } catch (Throwable e) {
            work.completeExceptionally(e);
        }
        return orNothing(call, entered, nothing);
    }

    private CompletableFuture<@Nullable Object> ask(
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body) {
        NameTemplates.set(template);
        try {
            return lock.callAsync(maxWait, body);
        } finally {
            NameTemplates.set(null);
        }
    }
}
