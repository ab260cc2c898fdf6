package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockBusyException;
import dev.leasehold.spring.internal.NameTemplates;
import dev.leasehold.spring.internal.RunningBodies;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A reactive call runs a stream under a lock: asked for at each subscription, held until the stream has completed, failed or
 * been cancelled.
 *
 * <p>Why no lease is dropped when a subscriber leaves as the lease arrives: a grant is taken once, by the work that
 * begins or by the subscriber's leaving. A subscriber's leaving is recorded before the lease is looked for, and the
 * lease is recorded before the work is offered and the leaving is looked for; so one of the two sees the other.
 *
 * <p>The work is followed as long as it goes on: a loss of the lease, and an interrupt at the application's end, cancel it and
 * are signalled as errors. It is subscribed to, and signals of ours are sent, on Reactor's threads for work that may block, not on
 * those of the client's, where it would keep the answers of others.
 */
record ReactiveCall(
        Supplier<DistributedLock> lock,
        String name,
        Duration maxWait,
        OnBusy onBusy,
        String template,
        RunningBodies running) {

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.reactive.TransactionSynchronizationManager",
            ReactiveCall.class.getClassLoader());
    private static final Duration RELEASE_WAIT = Duration.ofSeconds(1);

    Mono<?> mono(Function<Lease, Publisher<?>> body) {
        return outsideTransaction()
                .then(Mono.usingWhen(
                        granted(),
                        grant -> Mono.defer(() -> Mono.from(grant.begin(body)))
                                .takeUntilOther(ending(grant))
                                .switchIfEmpty(Mono.defer(grant::failure)),
                        this::complete,
                        (grant, failure) -> giveBack(grant),
                        ReactiveCall::giveBack))
                .onErrorMap(ReactiveCall::isWrappedLoss, wrapped -> Objects.requireNonNull(wrapped.getCause()));
    }

    Flux<?> flux(Function<Lease, Publisher<?>> body) {
        return outsideTransaction()
                .thenMany(Flux.usingWhen(
                        granted(),
                        grant -> Flux.defer(() -> grant.begin(body))
                                .takeUntilOther(ending(grant))
                                .concatWith(Mono.defer(grant::failure)),
                        this::complete,
                        (grant, failure) -> giveBack(grant),
                        ReactiveCall::giveBack))
                .onErrorMap(ReactiveCall::isWrappedLoss, wrapped -> Objects.requireNonNull(wrapped.getCause()));
    }

    /**
     * Fails inside of a transaction. It looks at the subscriber's thread, too: one that blocks for the result would
     * commit after the lock was given back.
     */
    private Mono<Void> outsideTransaction() {
        return TRANSACTIONS
                ? Mono.defer(() -> Transactions.isRunning()
                        ? Mono.error(new LockInsideTransactionException(name, TransactionHolds.name()))
                        : InTransaction.refused(name))
                : Mono.empty();
    }

    /**
     * Returns a signal that completes when the work has to end before it has completed; the grant has the reason. An
     * error would not cancel the work.
     */
    private Mono<Void> ending(Grant grant) {
        return Mono.create(sink -> {
            Lease lease = grant.lease();
            LeaseListener onLoss = (of, state) -> {
                if (state == LeaseState.LOST) {
                    onReactor(() -> {
                        grant.failure = loss(lease);
                        sink.success();
                    });
                }
            };
            RunningBodies.Body noted = running.enter(() -> onReactor(() -> {
                grant.failure = new CancellationException("the application ends; the work under the lock '" + name
                        + "' was cancelled, and the lock is given back");
                sink.success();
            }));
            sink.onDispose(() -> {
                noted.leave();
                lease.removeListener(onLoss);
            });
            lease.addListener(onLoss);
        });
    }

    private LeaseLostException loss(Lease lease) {
        return new LeaseLostException(name, lease.token(), "it was over before the work under it had completed");
    }

    private static void onReactor(Runnable task) {
        try {
            Schedulers.boundedElastic().schedule(task);
        } catch (RejectedExecutionException e) {
            Thread thread = new Thread(task, "leasehold-stream");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /**
     * Asks for the lock at each subscription. Nothing may stand between this and {@code usingWhen}: an operator that is
     * cancelled as the grant passes would drop it, and nobody would give the lock back.
     */
    private Mono<Grant> granted() {
        return Mono.create(sink -> {
            Grant grant = new Grant();
            CompletableFuture<Optional<Lease>> asking = ask();
            sink.onCancel(() -> {
                grant.leave();
                asking.cancel(false);
            });
            asking.whenCompleteAsync(
                    (lease, failure) -> {
                        if (failure != null) {
                            if (onBusy == OnBusy.SKIP && OnBusy.isBusy(failure)) {
                                sink.success();
                            } else if (!grant.left) {
                                sink.error(failure);
                            }
                        } else if (lease.isPresent()) {
                            grant.lease = lease.get();
                            sink.success(grant);
                            grant.closeIfLeft();
                        } else if (onBusy == OnBusy.SKIP) {
                            sink.success();
                        } else {
                            sink.error(new LockBusyException(name, "a wait of " + maxWait));
                        }
                    },
                    ReactiveCall::onReactor);
        });
    }

    /** A grant is what one subscription is given, and may have left before. */
    private static final class Grant {

        private final AtomicBoolean taken = new AtomicBoolean();
        private volatile boolean left;
        private volatile @Nullable Lease lease;
        private volatile @Nullable Throwable failure;

        void leave() {
            left = true;
            closeIfLeft();
        }

        void closeIfLeft() {
            Lease granted = lease;
            if (left && granted != null && taken.compareAndSet(false, true)) {
                granted.releaseAsync();
            }
        }

        /** Begins the work under the lease; empty if it was given back. */
        Publisher<?> begin(Function<Lease, Publisher<?>> body) {
            return taken.compareAndSet(false, true) ? body.apply(lease()) : Mono.empty();
        }

        /** Returns why the work was ended; empty if it has ended by itself. */
        <T> Mono<T> failure() {
            Throwable why = failure;
            return why == null ? Mono.empty() : Mono.error(why);
        }

        Lease lease() {
            return Objects.requireNonNull(lease);
        }
    }

    private CompletableFuture<Optional<Lease>> ask() {
        NameTemplates.set(template);
        try {
            return lock.get().tryAcquireAsync(maxWait);
        } finally {
            NameTemplates.set(null);
        }
    }

    private Mono<Void> complete(Grant grant) {
        return Mono.defer(() -> {
            Lease lease = grant.lease();
            LeaseState state = lease.state();
            Mono<Void> given = giveBack(grant);
            return state.isValid() || state == LeaseState.RELEASED ? given : given.then(Mono.error(loss(lease)));
        });
    }

    /** Returns whether a failure is the loss of a lease, wrapped by Reactor as it wraps every failure of a cleanup. */
    private static boolean isWrappedLoss(Throwable failure) {
        return failure.getClass() == RuntimeException.class && failure.getCause() instanceof LeaseLostException;
    }

    private static Mono<Void> giveBack(Grant grant) {
        return Mono.fromFuture(() -> grant.lease().releaseAsync(), true)
                .timeout(RELEASE_WAIT)
                .onErrorComplete()
                .publishOn(Schedulers.boundedElastic())
                .then();
    }

    private static final class InTransaction {

        static Mono<Void> refused(String lock) {
            return TransactionSynchronizationManager.forCurrentTransaction()
                    .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                    .filter(TransactionSynchronizationManager::isActualTransactionActive)
                    .flatMap(running ->
                            Mono.error(new LockInsideTransactionException(lock, running.getCurrentTransactionName())));
        }
    }
}
