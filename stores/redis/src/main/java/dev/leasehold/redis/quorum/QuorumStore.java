package dev.leasehold.redis.quorum;

import dev.leasehold.LockException;
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
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A quorum store keeps locks on a quorum of independent masters: the Redlock algorithm. Each claim of the client is a {@link
 * QuorumClaim}; the nodes know it by the names of its attempts.
 */
public final class QuorumStore implements Store {

    private record Key(String lock, ClaimId claim) {}

    private final Quorum quorum;
    private final Signals signals;
    private final Consumer<CompletableFuture<?>> closeRest;
    private final Sharing sharing;
    private final ConcurrentMap<Key, QuorumClaim> claims = new ConcurrentHashMap<>();
    private final ConcurrentMap<ClaimId, QuorumClaim> waiting = new ConcurrentHashMap<>();
    private final QuorumClaim.Owner owner = new QuorumClaim.Owner() {
        @Override
        public void waits(ClaimId attempt, QuorumClaim claim) {
            waiting.put(attempt, claim);
        }

        @Override
        public void waitsNoLonger(ClaimId attempt) {
            waiting.remove(attempt);
        }

        @Override
        public void won(Grant grant, Validity validity) {
            signals.granted(grant, validity);
        }

        @Override
        public void begins(QuorumClaim claim) {
            claims.put(key(claim.claim()), claim);
        }

        @Override
        public void ended(QuorumClaim claim) {
            claims.remove(key(claim.claim()), claim);
        }
    };

    /**
     * Makes a store for locks with one holder, and for readers and writers.
     *
     * @param closeRest closes what was opened for this store beside the nodes' connections, when those are closed
     */
    public QuorumStore(Quorum quorum, Signals signals, Consumer<CompletableFuture<?>> closeRest) {
        this(quorum, signals, closeRest, QuorumSharing.READ_WRITE);
    }

    /**
     * Makes a store that grants other shares.
     *
     * @param sharing which shares it grants
     */
    public QuorumStore(Quorum quorum, Signals signals, Consumer<CompletableFuture<?>> closeRest, Sharing sharing) {
        this.quorum = quorum;
        this.signals = signals;
        this.closeRest = closeRest;
        this.sharing = sharing;
    }

    /** A node reports that it has given the lock to a claim in its queue. */
    public void granted(int node, LeaseId lease) {
        QuorumClaim waiter = waiting.get(lease.claim());
        if (waiter != null) {
            waiter.granted(lease.claim(), lease.token());
        } else if (!quorum.isClosed()) {
            AttemptCleanup.one(quorum, lease.lock(), lease.claim(), node, false);
        }
    }

    private static Key key(Claim claim) {
        return new Key(claim.lock(), claim.id());
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return unlessClosed(() -> {
            quorum.voter(0).check(claim.lock());
            // Known before it has begun, which another thread may do: its withdrawal may come first.
            QuorumClaim known = claims.get(key(claim));
            if (known == null) {
                QuorumClaim made = new QuorumClaim(quorum, owner, claim);
                known = claims.putIfAbsent(key(claim), made);
                if (known == null) {
                    known = made;
                }
            }
            return known.ask(claim);
        });
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return unlessClosed(() -> {
            QuorumClaim known = claims.get(new Key(lease.lock(), lease.claim()));
            return known == null
                    ? CompletableFuture.completedFuture(new RenewAnswer.Lost())
                    : known.renew(lease, duration);
        });
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return unlessClosed(() -> {
            QuorumClaim known = claims.get(new Key(lease.lock(), lease.claim()));
            return known == null
                    ? CompletableFuture.completedFuture(ReleaseAnswer.NOT_HELD)
                    : known.release(lease, keepFor);
        });
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return unlessClosed(() -> {
            QuorumClaim known = claims.get(new Key(lock, claim));
            return (known == null ? CompletableFuture.<@Nullable Void>completedFuture(null) : known.withdraw())
                    .<Void>thenApply(done -> null);
        });
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(NamePattern pattern) {
        return unlessClosed(() -> ask("the listing of locks", voter -> voter.list(pattern))
                .thenApply(round -> QuorumListing.merge(quorum, round)));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return unlessClosed(() -> ask("the break of '" + lock + "'", voter -> voter.breakLease(lock, token))
                .thenApply(round -> round.answers().stream().anyMatch(Boolean.TRUE::equals)));
    }

    /** Asks all nodes; a majority has to answer. */
    private <T> CompletableFuture<FanOut<T>> ask(String what, Function<Voter, CompletionStage<T>> question) {
        return FanOut.of(quorum, question).thenApply(round -> {
            if (round.answered() < quorum.majority()) {
                throw QuorumFailures.unanswered(
                        quorum, what + " was not answered by a majority of " + quorum, Outcome.UNKNOWN, round::words);
            }
            return round;
        });
    }

    @Override
    public Sharing sharing() {
        return sharing;
    }

    @Override
    public Duration maxLease() {
        return quorum.settings().maxLease();
    }

    @Override
    public Duration requestHorizon() {
        return quorum.settings().requestHorizon();
    }

    @Override
    public void close() {
        if (!quorum.isClosed()) {
            quorum.close();
            CompletableFuture<?>[] all =
                    quorum.voters().stream().map(Voter::close).toArray(CompletableFuture<?>[]::new);
            closeRest.accept(CompletableFuture.allOf(all));
        }
    }

    private <T> CompletionStage<T> unlessClosed(Supplier<CompletionStage<T>> operation) {
        if (quorum.isClosed()) {
            return CompletableFuture.failedFuture(
                    new LockException("the store " + quorum + " has been closed by this client; nothing was done"));
        }
        try {
            return operation.get();
        } catch (LockException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
