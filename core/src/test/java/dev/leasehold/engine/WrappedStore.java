package dev.leasehold.engine;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.CallerThreads;
import dev.leasehold.memory.MemoryStoreProvider;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A wrapped store is one in memory that counts its operations; a test changes what it likes. */
public class WrappedStore implements StoreFactory {

    final AtomicInteger operations = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();
    volatile @Nullable Signals signals;
    private final StoreFactory factory;

    public WrappedStore() {
        this(memory());
    }

    WrappedStore(StoreFactory factory) {
        this.factory = factory;
    }

    StoreFactory real() {
        return factory;
    }

    public static StoreFactory memory() {
        return new MemoryStoreProvider().create(StoreUri.parse("memory:"));
    }

    public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
        return store.claim(claim);
    }

    CompletionStage<RenewAnswer> renew(Store store, LeaseId lease, Duration duration) {
        return store.renew(lease, duration);
    }

    public CompletionStage<ReleaseAnswer> release(Store store, LeaseId lease, Duration keepFor) {
        return store.release(lease, keepFor);
    }

    void runOnCaller(Store store, Runnable request) {
        request.run();
    }

    void close(Store store) {
        store.close();
    }

    boolean closingEndsLeases() {
        return false;
    }

    Duration maxLease(Store store) {
        return store.maxLease();
    }

    @Override
    public Store open(StoreContext context) {
        Store store = factory.open(context);
        signals = context.signals();
        return new WithCallerThreads() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Claim claim) {
                operations.incrementAndGet();
                return WrappedStore.this.claim(store, claim);
            }

            @Override
            public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
                operations.incrementAndGet();
                return WrappedStore.this.renew(store, lease, duration);
            }

            @Override
            public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
                operations.incrementAndGet();
                return WrappedStore.this.release(store, lease, keepFor);
            }

            @Override
            public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
                operations.incrementAndGet();
                return store.withdraw(lock, claim);
            }

            @Override
            public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
                operations.incrementAndGet();
                return store.downgrade(lease, duration);
            }

            @Override
            public Sharing sharing() {
                return store.sharing();
            }

            @Override
            public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
                return store.inspect(pattern);
            }

            @Override
            public CompletionStage<Boolean> breakLease(String lock, long token) {
                return store.breakLease(lock, token);
            }

            @Override
            public boolean closingEndsLeases() {
                return WrappedStore.this.closingEndsLeases();
            }

            @Override
            public Duration maxLease() {
                return WrappedStore.this.maxLease(store);
            }

            @Override
            public void runOnCaller(Runnable request) {
                WrappedStore.this.runOnCaller(store, request);
            }

            @Override
            public void close() {
                closes.incrementAndGet();
                WrappedStore.this.close(store);
            }
        };
    }

    @Override
    public String toString() {
        return "test:wrapped";
    }

    private interface WithCallerThreads extends Store, CallerThreads {}
}
