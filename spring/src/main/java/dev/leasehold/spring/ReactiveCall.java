package dev.leasehold.spring;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockBusyException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A reactive call runs a stream under a lock: asked for at each subscription, held until the stream has completed, failed or
 * been cancelled.
 *
 * <p>Why no lease is dropped when a subscriber leaves as the lease arrives: the subscription keeps what it has been granted in
 * one cell, and of the two that may empty it (the stream that begins, the cancellation) exactly one gets the lease.
 */
record ReactiveCall(Supplier<DistributedLock> lock, String name, Duration maxWait, OnBusy onBusy, String template) {

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.reactive.TransactionSynchronizationManager",
            ReactiveCall.class.getClassLoader());
    private static final Duration RELEASE_WAIT = Duration.ofSeconds(1);

    Mono<?> mono(Function<Lease, Publisher<?>> body) {
        return Mono.usingWhen(
                outsideTransaction().then(granted()),
                lease -> Mono.from(body.apply(lease)),
                this::complete,
                (lease, failure) -> giveBack(lease),
                ReactiveCall::giveBack);
    }

    Flux<?> flux(Function<Lease, Publisher<?>> body) {
        return Flux.usingWhen(
                outsideTransaction().then(granted()),
                body::apply,
                this::complete,
                (lease, failure) -> giveBack(lease),
                ReactiveCall::giveBack);
    }

    private Mono<Void> outsideTransaction() {
        return TRANSACTIONS ? InTransaction.refused(name) : Mono.empty();
    }

    private Mono<Lease> granted() {
        return Mono.create(sink -> {
            AtomicReference<@Nullable Lease> cell = new AtomicReference<>();
            CompletableFuture<Optional<Lease>> asking = ask();
            sink.onCancel(() -> {
                asking.cancel(false);
                close(cell.getAndSet(null));
            });
            asking.whenComplete((lease, failure) -> {
                if (failure != null) {
                    sink.error(failure);
                } else if (lease.isPresent()) {
                    cell.set(lease.get());
                    sink.success(lease.get());
                    cell.set(null);
                } else if (onBusy == OnBusy.SKIP) {
                    sink.success();
                } else {
                    sink.error(new LockBusyException(name, "a wait of " + maxWait));
                }
            });
        });
    }

    private CompletableFuture<Optional<Lease>> ask() {
        NameTemplates.set(template);
        try {
            return lock.get().tryAcquireAsync(maxWait);
        } finally {
            NameTemplates.set(null);
        }
    }

    private Mono<Void> complete(Lease lease) {
        return Mono.defer(() -> {
            LeaseState state = lease.state();
            Mono<Void> given = giveBack(lease);
            return state.isValid() || state == LeaseState.RELEASED
                    ? given
                    : given.then(Mono.error(new LeaseLostException(
                            name, lease.token(), "it was over before the work under it had completed")));
        });
    }

    private static Mono<Void> giveBack(Lease lease) {
        return Mono.fromFuture(lease::releaseAsync, true)
                .timeout(RELEASE_WAIT)
                .onErrorComplete()
                .then();
    }

    private static void close(@Nullable Lease lease) {
        if (lease != null) {
            lease.releaseAsync();
        }
    }

    private static final class InTransaction {

        static Mono<Void> refused(String lock) {
            return TransactionSynchronizationManager.forCurrentTransaction()
                    .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                    .filter(TransactionSynchronizationManager::isActualTransactionActive)
                    .flatMap(running -> {
                        String transaction = running.getCurrentTransactionName();
                        return Mono.error(new LockInsideTransactionException(
                                lock, transaction == null ? "(without a name)" : "'" + transaction + "'"));
                    });
        }
    }
}
