package dev.leasehold.cli;

import dev.leasehold.Lease;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A lease that lasts as long as the test likes. */
final class FakeLease implements Lease {

    private final CompletableFuture<LeaseState> ended = new CompletableFuture<>();
    private volatile long deadline;
    private volatile @Nullable Duration standing;
    private volatile @Nullable LockException refusal;

    FakeLease(Duration duration) {
        endIn(duration);
    }

    void endIn(Duration duration) {
        deadline = System.nanoTime() + duration.toNanos();
    }

    /** From now on so much is left of it, as if no time passed. */
    void stopAt(Duration left) {
        standing = left;
    }

    void refuseRelease(LockException answer) {
        refusal = answer;
    }

    void lose() {
        ended.complete(LeaseState.LOST);
    }

    @Override
    public String name() {
        return "demo";
    }

    @Override
    public long token() {
        return 1;
    }

    @Override
    public LeaseState state() {
        LeaseState held = remaining().isZero() ? LeaseState.UNCONFIRMED : LeaseState.HELD;
        return ended.getNow(held);
    }

    @Override
    public boolean isContended() {
        return false;
    }

    @Override
    public Duration remaining() {
        Duration still = standing != null ? standing : Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        return ended.isDone() ? Duration.ZERO : still;
    }

    @Override
    public void ensureValid() {
        if (!isValid()) {
            throw new LeaseLostException(name(), token(), "it is " + state());
        }
    }

    @Override
    public Duration extend(Duration duration) {
        endIn(duration);
        return remaining();
    }

    @Override
    public void addListener(LeaseListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void removeListener(LeaseListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<LeaseState> ended() {
        return ended;
    }

    @Override
    public LeaseState release() {
        LockException answer = refusal;
        if (answer != null) {
            throw answer;
        }
        ended.complete(LeaseState.RELEASED);
        return ended.join();
    }

    @Override
    public CompletableFuture<LeaseState> releaseAsync() {
        return CompletableFuture.completedFuture(release());
    }

    @Override
    public void close() {
        release();
    }
}
