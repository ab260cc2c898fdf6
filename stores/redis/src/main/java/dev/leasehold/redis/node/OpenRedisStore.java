package dev.leasehold.redis.node;

import dev.leasehold.LockException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.CallerThreads;
import dev.leasehold.internal.RequestHorizon;
import dev.leasehold.redis.connection.OwnClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open Redis store is a store on one Redis, a quorum of one: the answer of its only node is the store's answer. */
public final class OpenRedisStore implements Store, CallerThreads {

    private final LockCommands node;
    private final Runnable closeRest;
    private final Sharing sharing;
    private final Duration horizon;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens a store.
     *
     * @param sharing which shares it grants
     * @param closeRest closes what was opened for this store beside its connections
     */
    public OpenRedisStore(LockCommands node, StoreContext context, Sharing sharing, Runnable closeRest) {
        this.node = node;
        this.sharing = sharing;
        this.closeRest = closeRest;
        horizon = RequestHorizon.of(context.storeTimeout());
    }

    /** Passes the nodes' unasked messages to the client. */
    public static NodeListener listener(StoreContext context) {
        return new NodeListener() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                context.signals().granted(grant, validity);
            }

            @Override
            public void doubt(@Nullable String lock) {
                context.signals().doubt(lock);
            }
        };
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return unlessClosed(() -> node.claim(claim));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return unlessClosed(() -> node.renew(lease, duration));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return unlessClosed(() -> node.downgrade(lease, duration));
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return unlessClosed(() -> node.release(lease, keepFor));
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return unlessClosed(() -> node.withdraw(lock, claim)).thenAccept(found -> {});
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return unlessClosed(() -> node.list(pattern));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return unlessClosed(() -> node.breakLease(lock, token));
    }

    @Override
    public Sharing sharing() {
        return sharing;
    }

    @Override
    public boolean mayAnswerAtOnce() {
        return true;
    }

    /** A request may sit in the buffers between us and the server for as long as those hold on to a dead connection. */
    @Override
    public Duration requestHorizon() {
        return horizon;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            OwnClient.closeAfter(node.close(), closeRest);
        }
    }

    private <T> CompletionStage<T> unlessClosed(Supplier<CompletionStage<T>> operation) {
        if (closed.get()) {
            return CompletableFuture.failedFuture(
                    new LockException("the store " + node + " has been closed by this client; nothing was done"));
        }
        try {
            return operation.get();
        } catch (LockException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
