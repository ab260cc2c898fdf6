package dev.leasehold.memory;

import dev.leasehold.LockException;
import dev.leasehold.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

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
        return answer(() -> space.claim(context, claim));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return answer(() -> space.renew(context, lease, duration));
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return answer(() -> space.release(context, lease, keepFor));
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return answer(() -> space.withdraw(context, lock, claim)).thenAccept(found -> {});
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return answer(() -> space.inspect(context, pattern));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return answer(() -> space.breakLease(context, lock, token));
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

    private <T> CompletionStage<T> answer(Supplier<T> operation) {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new LockException("the store " + space + " has been closed by this client; nothing was done"));
        }
        return CompletableFuture.completedFuture(operation.get());
    }
}
