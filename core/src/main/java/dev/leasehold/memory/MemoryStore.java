package dev.leasehold.memory;

import dev.leasehold.LockException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A memory store is one client's view of a space. Every operation is over when it returns. */
final class MemoryStore implements Store {

    private final MemorySpace space;
    private final StoreContext context;
    private volatile boolean closed;

    MemoryStore(MemorySpace space, StoreContext context) {
        this.space = space;
        this.context = context;
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return visit((locks, now, out) -> {
            space.enter(context);
            return locks.claim(key(claim.lock()), claim, context.owner(), now, out);
        });
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return visit((locks, now, out) -> locks.renew(key(lease.lock()), lease, duration, now));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return visit((locks, now, out) -> locks.downgrade(key(lease.lock()), lease, duration, now, out));
    }

    @Override
    public Sharing sharing() {
        return Sharing.all();
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return visit((locks, now, out) -> locks.release(key(lease.lock()), lease, keepFor, now, out));
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return visit((locks, now, out) -> locks.withdraw(key(lock), claim, now, out))
                .thenAccept(found -> {});
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return visit((locks, now, out) -> locks.inspect(context.namespace(), pattern, now));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return visit((locks, now, out) -> locks.breakLease(key(lock), token, now, out));
    }

    /**
     * Leaves the space as a process does that dies: anything that this client holds runs out, unless the client has
     * released it before.
     */
    @Override
    public void close() {
        closed = true;
        space.leave(context);
    }

    private <T> CompletionStage<T> visit(MemorySpace.Visit<T> visit) {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new LockException("the store " + space + " has been closed by this client; nothing was done"));
        }
        return CompletableFuture.completedFuture(space.visit(context.time(), visit));
    }

    private LockKey key(String lock) {
        return new LockKey(context.namespace(), lock);
    }
}
