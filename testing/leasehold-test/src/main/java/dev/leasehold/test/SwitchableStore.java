package dev.leasehold.test;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A switchable store can be switched off: then either no request arrives there, or requests arrive and no answer comes
 * back.
 */
final class SwitchableStore implements StoreFactory {

    private enum Way {
        OPEN,
        CLOSED,
        THERE_ONLY
    }

    private final StoreFactory real;
    private final Consumer<String> queued;
    private volatile Way way = Way.OPEN;

    /**
     * Makes one that is on.
     *
     * @param queued takes the lock of each claim that has joined a queue
     */
    SwitchableStore(StoreFactory real, Consumer<String> queued) {
        this.real = real;
        this.queued = queued;
    }

    StoreFactory real() {
        return real;
    }

    void down(boolean isDown) {
        way = isDown ? Way.CLOSED : Way.OPEN;
    }

    void loseAnswers() {
        way = Way.THERE_ONLY;
    }

    boolean isDown() {
        return way != Way.OPEN;
    }

    @Override
    public Store open(StoreContext context) {
        return new Line(real.open(new StoreContext(
                context.identity(),
                context.owner(),
                context.namespace(),
                context.time(),
                context.storeTimeout(),
                new Incoming(context.signals()))));
    }

    @Override
    public String kind() {
        return real.kind();
    }

    @Override
    public String toString() {
        return real.toString();
    }

    private final class Incoming implements Signals {
        private final Signals receiver;

        Incoming(Signals receiver) {
            this.receiver = receiver;
        }

        @Override
        public void granted(Grant grant, @Nullable Validity validity) {
            if (!isDown()) {
                receiver.granted(grant, validity);
            }
        }

        @Override
        public void doubt(@Nullable String lock) {
            if (!isDown()) {
                receiver.doubt(lock);
            }
        }
    }

    private final class Line implements Store {
        private final Store store;

        Line(Store store) {
            this.store = store;
        }

        @Override
        public CompletionStage<ClaimAnswer> claim(Claim claim) {
            return send(() -> store.claim(claim)).thenApply(answer -> {
                if (answer instanceof ClaimAnswer.Busy busy && busy.place() > 0) {
                    queued.accept(claim.lock());
                }
                return answer;
            });
        }

        @Override
        public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
            return send(() -> store.renew(lease, duration));
        }

        @Override
        public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
            return send(() -> store.release(lease, keepFor));
        }

        @Override
        public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
            return send(() -> store.withdraw(lock, claim));
        }

        @Override
        public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
            return send(() -> store.inspect(pattern));
        }

        @Override
        public CompletionStage<Boolean> breakLease(String lock, long token) {
            return send(() -> store.breakLease(lock, token));
        }

        @Override
        public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
            return send(() -> store.downgrade(lease, duration));
        }

        @Override
        public Sharing sharing() {
            return store.sharing();
        }

        @Override
        public Duration maxLease() {
            return store.maxLease();
        }

        @Override
        public boolean closingEndsLeases() {
            return store.closingEndsLeases();
        }

        @Override
        public Duration requestHorizon() {
            return store.requestHorizon();
        }

        @Override
        public void close() {
            store.close();
        }

        private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
            Way now = way;
            if (now == Way.OPEN) {
                return request.get();
            }
            if (now == Way.CLOSED) {
                return failure("has been switched off by the test; nothing was done", Outcome.NOT_CARRIED_OUT);
            }
            return request.get()
                    .thenCompose(answer -> failure("did not answer: the test has its answers lost", Outcome.UNKNOWN));
        }

        private <T> CompletionStage<T> failure(String what, Outcome outcome) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("the store " + real + " " + what, real.toString(), outcome, null));
        }
    }
}
