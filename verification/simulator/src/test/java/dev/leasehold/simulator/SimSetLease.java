package dev.leasehold.simulator;

import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseSet;
import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A lease of a simulated set is one of its names, as far as the set tells of it: so the judge sees a hold like any other. */
record SimSetLease(LeaseSet set, String name, int share) implements Lease {

    @Override
    public long token() {
        return set.token(name);
    }

    @Override
    public boolean isExclusive() {
        return share == Claim.EXCLUSIVE;
    }

    /** Returns the state of the set. Where another name is lost this one is not over: it is held until the release. */
    @Override
    public LeaseState state() {
        LeaseState state = set.state();
        boolean another = state == LeaseState.LOST && !set.lost().orElse(name).equals(name);
        return another ? LeaseState.UNCONFIRMED : state;
    }

    @Override
    public Duration remaining() {
        return set.remaining();
    }

    @Override
    public void ensureValid() {
        set.ensureValid();
    }

    @Override
    public boolean isContended() {
        return false;
    }

    @Override
    public void addListener(LeaseListener listener) {
        set.ended().thenAccept(state -> listener.onState(this, state));
    }

    @Override
    public CompletionStage<LeaseState> ended() {
        return set.ended();
    }

    @Override
    public LeaseState release() throws InterruptedException {
        return set.release();
    }

    @Override
    public void close() {
        set.close();
    }

    @Override
    public Duration extend(Duration duration) {
        throw new UnsupportedOperationException("a set is not extended");
    }

    @Override
    public void removeListener(LeaseListener listener) {
        throw new UnsupportedOperationException("a set has no listeners");
    }

    @Override
    public CompletableFuture<LeaseState> releaseAsync() {
        throw new UnsupportedOperationException("a set is released as a whole");
    }
}
