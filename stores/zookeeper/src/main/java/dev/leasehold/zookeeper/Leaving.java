package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.ReleaseAnswer;
import java.time.Duration;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Leaving is the step that removes the node of a claim, after a release, a withdrawal, a refusal, or the end of a lease
 * that was not renewed. It repeats that until the node is certainly gone.
 */
final class Leaving implements ClaimStep {

    private final ClaimState claim;
    private final ClientLocks locks;
    private final Duration keepFor;
    private final boolean ranOut;
    private final @Nullable Holding held;
    private ClaimStep before;

    /**
     * Begins to leave.
     *
     * @param before what the claim was doing
     * @param keepFor for how long the lock is kept, if the claim has it
     * @param ranOut whether the lease was over, with nobody to release it
     */
    Leaving(ClaimState claim, ClaimStep before, Duration keepFor, boolean ranOut) {
        this.claim = claim;
        this.locks = claim.locks;
        this.before = before;
        this.keepFor = keepFor;
        this.held = before instanceof Holding holding ? holding : null;
        this.ranOut = ranOut && held != null;
    }

    /**
     * Notes that the node that was being created is there, and a look at the queue is under way, which nothing depends
     * on any more.
     */
    void comesAfter(Waiting waiting) {
        before = waiting;
    }

    /** Returns the lease that the claim had, or null if it had none. */
    @Nullable Holding held() {
        return held;
    }

    /** Returns whether the claim had the lock, and left because the lease was over. */
    boolean hasRunOut() {
        return ranOut;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public void stop() {
        before.stop();
    }

    @Override
    public void drive(Session in) {
        claim.requests.begin();
        ClockReading sentAt = claim.time.now();
        String child = claim.mine().child();
        Holding had = held;
        if (had != null && had.downgrade().isUnanswered()) {
            had.downgrade().send(in);
        } else if (had != null && had.downgrade().isDone()) {
            NodeData.Keep keep = keeps() ? new NodeData.Keep(had.token(), keepMillis()) : null;
            String kept = keep == null ? null : kept(keep);
            claim.own.removeReader(in, child, kept, keep, code -> removed(in, code, sentAt, keep));
        } else if (had != null && keeps()) {
            NodeData.Keep keep = new NodeData.Keep(had.token(), keepMillis());
            claim.own.removeKeeping(in, child, kept(keep), keep, code -> removed(in, code, sentAt, keep));
        } else if (had != null && claim.waited && claim.isExclusive()) {
            // A reader may leave while others hold; only who had the lock alone can say that the next is the first.
            claim.own.removeMarking(in, child, code -> removed(in, code, sentAt, null));
        } else {
            claim.own.remove(in, child, code -> removed(in, code, sentAt, null));
        }
    }

    private boolean keeps() {
        return !keepFor.isZero() && !keepFor.isNegative();
    }

    private String kept(NodeData.Keep keep) {
        return NodeName.kept(keep.token(), claim.share(), held == null ? Grant.NO_SLOT : held.slot());
    }

    private long keepMillis() {
        long nanos = ClaimTimer.nanos(keepFor);
        return Math.max(1, nanos / 1_000_000 + (nanos % 1_000_000 == 0 ? 0 : 1));
    }

    private void removed(Session in, Code code, ClockReading sentAt, NodeData.@Nullable Keep kept) {
        if (!claim.requests.finish(in)) {
            return;
        }
        switch (code) {
            case OK -> {
                in.written(sentAt, null);
                if (kept != null) {
                    locks.freeAfter(claim.parent + '/' + kept(kept), kept.millis());
                }
                if (held != null && claim.isExclusive()) {
                    OwnNode left = claim.mine();
                    locks.successor().left(in, claim.parent, left.name(), left.czxid(), left.followed());
                }
                claim.vanish(ReleaseAnswer.RELEASED);
            }
            case NONODE -> {
                claim.forgetReader();
                claim.vanish(ReleaseAnswer.NOT_HELD);
            }
            case INVALIDACL -> {
                if (locks.session().openAccess()) {
                    claim.drive();
                } else {
                    claim.failed(in, code, "the release");
                }
            }
            default -> {
                if (Codes.isRefusal(code) && claim.waited) {
                    // Without its mark a release costs the next in the queue a listing, and no more.
                    claim.waited = false;
                    claim.drive();
                } else {
                    claim.failed(in, code, "the release");
                }
            }
        }
    }
}
