package dev.leasehold.engine;

import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.LeaseBody;
import dev.leasehold.LeaseFunction;
import dev.leasehold.LockBusyException;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A client lock is the API's lock: a name, a share, options, and the client that obtains it. A semaphore is one with a finite
 * share above 1; the client hands it out as such only then.
 */
final class ClientLock implements DistributedSemaphore {

    private static final String NO_RESULT = "the result of a body of tryCall must not be null; the body has run";

    private final Client client;
    private final LockName name;
    private final int share;
    private final LockOptions options;

    ClientLock(Client client, LockName name, int share, LockOptions options) {
        this.client = client;
        this.name = name;
        this.share = share;
        this.options = options;
    }

    @Override
    public String name() {
        return name.own();
    }

    @Override
    public int permits() {
        return share;
    }

    @Override
    public LockOptions options() {
        return options;
    }

    @Override
    public Lease acquire() throws InterruptedException {
        return Objects.requireNonNull(await(null));
    }

    @Override
    public Optional<Lease> tryAcquire() throws InterruptedException {
        return tryAcquire(Duration.ZERO);
    }

    @Override
    public Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException {
        return Optional.ofNullable(obtain(maxWait));
    }

    private @Nullable HeldLease obtain(Duration maxWait) throws InterruptedException {
        Objects.requireNonNull(maxWait, "maxWait");
        return await(maxWait);
    }

    private @Nullable HeldLease await(@Nullable Duration maxWait) throws InterruptedException {
        Request.refuseInterrupted(name.full());
        return Request.sendAndWait(client, name, share, options, maxWait, null).await();
    }

    @Override
    public CompletableFuture<Lease> acquireAsync() {
        return Request.send(client, name, share, options, null).async(Objects::requireNonNull);
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration maxWait) {
        Objects.requireNonNull(maxWait, "maxWait");
        return Request.send(client, name, share, options, maxWait).async(Optional::ofNullable);
    }

    @Override
    public <E extends Exception> void run(LeaseBody<E> body) throws E, InterruptedException {
        Objects.requireNonNull(body, "body");
        LeaseScope.call(Objects.requireNonNull(await(null)), returning(body));
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(LeaseFunction<T, E> body)
            throws E, InterruptedException {
        Objects.requireNonNull(body, "body");
        return LeaseScope.call(Objects.requireNonNull(await(null)), body);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T callOrThrow(Duration maxWait, LeaseFunction<T, E> body)
            throws E, InterruptedException {
        Objects.requireNonNull(body, "body");
        HeldLease lease = obtain(maxWait);
        if (lease == null) {
            throw new LockBusyException(name.full(), "a wait of " + maxWait);
        }
        return LeaseScope.call(lease, body);
    }

    @Override
    public <E extends Exception> boolean tryRun(Duration maxWait, LeaseBody<E> body) throws E, InterruptedException {
        Objects.requireNonNull(body, "body");
        HeldLease lease = obtain(maxWait);
        return lease != null && LeaseScope.call(lease, returning(body));
    }

    @Override
    public <E extends Exception> boolean tryRun(LeaseBody<E> body) throws E, InterruptedException {
        return tryRun(Duration.ZERO, body);
    }

    @Override
    public <T, E extends Exception> Optional<T> tryCall(LeaseFunction<T, E> body) throws E, InterruptedException {
        return tryCall(Duration.ZERO, body);
    }

    @Override
    public <T, E extends Exception> Optional<T> tryCall(Duration maxWait, LeaseFunction<T, E> body)
            throws E, InterruptedException {
        Objects.requireNonNull(body, "body");
        HeldLease lease = obtain(maxWait);
        return lease == null
                ? Optional.empty()
                : Optional.of(Objects.requireNonNull(LeaseScope.call(lease, body), NO_RESULT));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            LeaseFunction<? extends CompletionStage<T>, ?> body) {
        Objects.requireNonNull(body, "body");
        return AsyncScope.call(client, Request.send(client, name, share, options, null), "", body);
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> callOrThrowAsync(
            Duration maxWait, LeaseFunction<? extends CompletionStage<T>, ?> body) {
        Objects.requireNonNull(body, "body");
        Objects.requireNonNull(maxWait, "maxWait");
        return AsyncScope.call(
                client, Request.send(client, name, share, options, maxWait), "a wait of " + maxWait, body);
    }

    private static <E extends Exception> LeaseFunction<Boolean, E> returning(LeaseBody<E> body) {
        return lease -> {
            body.run(lease);
            return true;
        };
    }

    @Override
    public String toString() {
        return switch (share) {
                    case Claim.EXCLUSIVE -> "DistributedLock[";
                    case Claim.UNLIMITED -> "DistributedLock[readers of ";
                    default -> "DistributedSemaphore[" + share + " permits of ";
                }
                + name + " in " + client + "]";
    }
}
