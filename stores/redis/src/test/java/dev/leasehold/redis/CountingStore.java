package dev.leasehold.redis;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.redis.quorum.QuorumStore;
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
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A counting store shows the judge what the one behind it grants, by answers and by signals. */
final class CountingStore implements Store {
    private final QuorumStore store;
    private final QuorumJudge judge;

    CountingStore(QuorumStore store, QuorumJudge judge) {
        this.store = store;
        this.judge = judge;
    }

    /** The signals that such a store's own store is made with. */
    static Signals signals(Signals to, QuorumJudge judge) {
        return new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                judge.granted(grant.lease());
                to.granted(grant, validity);
            }

            @Override
            public void doubt(@Nullable String lock) {
                to.doubt(lock);
            }
        };
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        judge.tokens(claim.lock()).asked(claim);
        return store.claim(claim).whenComplete((answer, failure) -> {
            if (answer instanceof ClaimAnswer.Granted granted) {
                judge.granted(granted.lease());
            }
        });
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return store.renew(lease, duration);
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return store.release(lease, keepFor);
    }

    @Override
    public CompletionStage<Void> withdraw(String lock, ClaimId claim) {
        return store.withdraw(lock, claim);
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
    public Sharing sharing() {
        return store.sharing();
    }

    @Override
    public Duration maxLease() {
        return store.maxLease();
    }

    @Override
    public Duration requestHorizon() {
        return store.requestHorizon();
    }

    @Override
    public void close() {
        store.close();
    }
}
