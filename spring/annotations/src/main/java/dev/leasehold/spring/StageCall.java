package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.spring.internal.NameTemplates;
import dev.leasehold.spring.internal.RunningBodies;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;

/**
 * A stage call runs a body under a lock that is held until the stage that the body returns has completed.
 *
 * @param decorator brings what belongs to the calling thread to the one on which the body is called
 */
record StageCall(
        DistributedLock lock, Duration maxWait, String template, RunningBodies running, TaskDecorator decorator) {

    /**
     * Returns a future that ends as a call does; if the lock is busy, with the value that {@code nothing} supplies, or,
     * where that is null, with the failure.
     */
    private static CompletableFuture<@Nullable Object> orNothing(
            CompletableFuture<@Nullable Object> call,
            AtomicBoolean entered,
            @Nullable Supplier<@Nullable Object> nothing) {
        if (nothing == null) {
            return call;
        }
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        call.whenComplete((value, failure) -> {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause == null) {
                result.complete(value);
            } else if (OnBusy.isBusy(cause) && !entered.get()) {
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

    /** Runs the call without ever blocking; the body is called on the client's executor. */
    CompletableFuture<@Nullable Object> run(
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body,
            @Nullable Supplier<@Nullable Object> nothing) {
        AtomicBoolean entered = new AtomicBoolean();
        Body called = new Body(body);
        Runnable decorated = decorator.decorate(called);
        return orNothing(
                ask(lease -> {
                    entered.set(true);
                    called.lease = lease;
                    decorated.run();
                    return called.work;
                }),
                entered,
                nothing);
    }

    /** A body is called once, by the task that decorates it. */
    private final class Body implements Runnable {

        private final LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body;
        private final CompletableFuture<@Nullable Object> work = new CompletableFuture<>();
        private volatile @Nullable Lease lease;

        Body(LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body) {
            this.body = body;
        }

        @Override
        public void run() {
            try {
                noted(Objects.requireNonNull(lease, "lease"), body, work);
            } catch (Throwable e) {
                work.completeExceptionally(e);
            }
        }
    }

    /**
     * Waits for the lock and calls the body on this thread, for methods that are called on a thread of their own. A
     * failure before there is a stage is thrown, as by the method itself, so that a retry sees it.
     */
    CompletableFuture<@Nullable Object> runHere(
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body,
            @Nullable Supplier<@Nullable Object> nothing)
            throws Exception {
        AtomicBoolean entered = new AtomicBoolean();
        CompletableFuture<Lease> granted = new CompletableFuture<>();
        CompletableFuture<@Nullable Object> work = new CompletableFuture<>();
        CompletableFuture<@Nullable Object> call = ask(lease -> {
            entered.set(true);
            granted.complete(lease);
            return work;
        });
        call.whenComplete((value, failure) -> granted.completeExceptionally(failure));
        try {
            LeaseScope.run(granted.get(), lock.options().interruptOnLoss(), lease -> {
                noted(lease, body, work);
                return work;
            });
        } catch (InterruptedException e) {
            call.cancel(false);
            work.cancel(false);
            throw e;
        } catch (ExecutionException e) {
            if (granted.isCompletedExceptionally()) {
                return refused(e, nothing);
            }
            throw released(work, call, e);
        } catch (Exception | Error e) {
            throw released(work, call, e);
        }
        return call;
    }

    private static CompletableFuture<@Nullable Object> refused(
            ExecutionException e, @Nullable Supplier<@Nullable Object> nothing) throws Exception {
        if (OnBusy.isBusy(e.getCause()) && nothing != null) {
            return CompletableFuture.completedFuture(nothing.get());
        }
        throw e.getCause() instanceof Exception cause ? cause : e;
    }

    /** Gives the lock back and waits for that, so that a retry does not wait for itself. */
    private static <E extends Throwable> Exception released(
            CompletableFuture<@Nullable Object> work, CompletableFuture<@Nullable Object> call, Throwable failure)
            throws E {
        work.completeExceptionally(failure);
        call.handle((value, same) -> null).join();
        @SuppressWarnings("unchecked")
        E thrown = (E) failure;
        throw thrown;
    }

    private CompletableFuture<@Nullable Object> ask(
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body) {
        NameTemplates.set(template);
        try {
            return lock.callOrThrowAsync(maxWait, body);
        } finally {
            NameTemplates.set(null);
        }
    }

    /** Calls the body, noted as one that runs on this thread, and then has a future follow its stage, which is noted, too. */
    private void noted(
            Lease lease,
            LeaseFunction<? extends CompletionStage<@Nullable Object>, ?> body,
            CompletableFuture<@Nullable Object> work)
            throws Exception {
        BodyInterrupt interrupt = new BodyInterrupt();
        RunningBodies.Body calling = running.enter(interrupt::interrupt);
        Throwable thrown = null;
        try {
            StageWork.follow(body.call(lease), running, work);
        } catch (Throwable e) {
            thrown = e;
            throw e;
        } finally {
            calling.leave();
            interrupt.ended(thrown);
        }
    }
}
