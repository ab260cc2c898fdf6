package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.RenewAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;

/**
 * A downgrade is the request of a writer that has the lock to become a reader: a second node is made, named after its
 * own ({@link NodeName#reading}), and its own is written, in one transaction. Used by tasks of the client's serial
 * executor only.
 *
 * <p>Why that is enough. Its own node stays, and with it the place in the queue, the token, and the watch of its
 * holder. A client that lists the queue sees both nodes, and counts it as a reader; a client that waits behind it
 * watches its own node, and is woken, or reads it after the change and sees that ({@link NodeData.Owner#isNews}).
 * Shares are only loosened: the second node belongs to the same session, and is removed in the same transaction as the
 * first, or after it, never before. Without the first it says nothing.
 *
 * <p>Asked twice, it finds that the second node is there. If no answer comes, it is asked again, until there is one or the session
 * is over; a release waits for that.
 */
final class Downgrade {

    private final ClaimState claim;
    private final List<Runnable> then = new ArrayList<>();
    private final List<CompletableFuture<RenewAnswer>> callers = new ArrayList<>();
    private boolean isAsked;
    private boolean isDone;

    Downgrade(ClaimState claim) {
        this.claim = claim;
    }

    /** Returns whether a request was made that may have been carried out or not. */
    boolean isUnanswered() {
        return isAsked && !isDone;
    }

    /** Returns whether there is a second node. */
    boolean isDone() {
        return isDone;
    }

    /**
     * Asks for the downgrade, unless it was made already.
     *
     * @param next the step that follows
     * @param caller is answered if it is refused, or the lease is over before
     */
    void ask(Runnable next, CompletableFuture<RenewAnswer> caller) {
        if (isDone) {
            next.run();
            return;
        }
        then.add(next);
        callers.add(caller);
        isAsked = true;
        claim.becomesReader();
        claim.drive();
    }

    void send(Session in) {
        claim.requests.goOn();
        ClockReading sentAt = claim.time.now();
        claim.own.becomeReader(in, claim.mine().child(), claim.own.news(claim.claim()), code -> {
            if (claim.requests.finish(in)) {
                answered(in, code, sentAt);
            }
        });
    }

    private void answered(Session in, Code code, ClockReading sentAt) {
        switch (code) {
            case OK, NODEEXISTS -> {
                isDone = true;
                if (code == Code.OK) {
                    in.written(sentAt, null);
                }
                List<Runnable> all = List.copyOf(then);
                forget();
                all.forEach(Runnable::run);
                claim.drive();
            }
            case NONODE -> {
                isDone = true;
                if (claim.isLeaving()) {
                    claim.drive();
                } else {
                    claim.nodeGone();
                }
            }
            case INVALIDACL -> {
                if (claim.locks.session().openAccess()) {
                    claim.drive();
                } else {
                    failed(in, code);
                }
            }
            default -> failed(in, code);
        }
    }

    private void failed(Session in, Code code) {
        if (Codes.isUnknown(code) || Codes.isPassing(code) || code == Code.SESSIONEXPIRED) {
            claim.failed(in, code, "the downgrade");
            return;
        }
        isAsked = false;
        List<CompletableFuture<RenewAnswer>> all = List.copyOf(callers);
        forget();
        all.forEach(each -> each.completeExceptionally(claim.refused(code, "the downgrade")));
        claim.drive();
    }

    private void forget() {
        then.clear();
        callers.clear();
    }

    /** Notes that the lease is over. */
    void stop() {
        List<CompletableFuture<RenewAnswer>> all = List.copyOf(callers);
        forget();
        all.forEach(each -> each.complete(new RenewAnswer.Lost()));
    }
}
