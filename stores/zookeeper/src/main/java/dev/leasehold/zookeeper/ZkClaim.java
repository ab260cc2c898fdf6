package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A ZooKeeper claim is one claim and its place in the queue of a lock: an ephemeral sequential node, from before its
 * creation until it is certainly gone. Its {@link Place} in the queue says whether it has the lock. Used by tasks of
 * the client's serial executor only.
 *
 * <p>This class takes the questions of the client, and watches the time. The claim's step decides what is done ({@link Creating},
 * {@link Waiting}, {@link Holding} or {@link Leaving}), and {@link ClaimState} leads from one step to the next. {@link
 * ClaimNode}, {@link Search} and {@link QueueView} talk to the servers for them.
 *
 * <p>Why nobody is let in too early. A listing shows all nodes before ours, or it is known already that there are none ({@link
 * ImmediateSuccessor}); nodes that come later get higher numbers, so who is in stays in ({@link Place}), until its node is
 * gone. It is gone when we delete it (after the lease's deadline, or at its end by its holder), when somebody breaks the lock,
 * or when the session ends; and no validity is given that {@link SessionProof} does not cover. A node that the answer to a
 * creation, or the owner in a node's record, does not tie to the present session is never taken for ours.
 *
 * <p>Why nothing stays behind. {@link ClaimState#drive} reads from the state, each time, what is to be done: after an answer
 * that never came, after a reconnection, after a while. A claim is forgotten only when its node is gone, or handed to an {@link
 * Orphan} when its session is. And a client deletes its own node when nobody has renewed its lease in time, so a lease may be
 * shorter than the session that carries it.
 */
final class ZkClaim {

    private final ClientLocks locks;
    private final TimeSource time;
    private final ClaimState state;
    private final ClaimTimer timer;

    ZkClaim(ClientLocks locks, Claim claim) {
        this.locks = locks;
        this.time = locks.time();
        this.state = new ClaimState(locks, this, claim);
        this.timer = state.timer;
        timer.endAt(time.nanos() + aliveNanos());
    }

    void ask(Claim again, CompletableFuture<ClaimAnswer> caller) {
        state.asked(again);
        if (state.step() instanceof Holding holding) {
            holding.confirmGrant(caller);
            return;
        }
        state.callers.add(caller);
        if (!state.isLeaving()) {
            timer.endNotBefore(time.nanos() + aliveNanos());
            if (locks.session().ready() == null) {
                timer.arm();
            }
            state.drive();
        }
    }

    boolean isFor(String lock) {
        return state.claim().lock().equals(lock);
    }

    /** Gives up, since the connection is refused for good. */
    void giveUp(LockException why) {
        state.callers.takeAll().forEach(each -> each.completeExceptionally(why));
    }

    /** Returns whether a request of the claim may have reached a server. */
    boolean wasSent() {
        return state.requests.wereSent();
    }

    void renew(LeaseId lease, Duration duration, CompletableFuture<RenewAnswer> caller) {
        renew(lease, caller, holding -> holding.renew(duration, caller));
    }

    /** Makes a reader of a writer, and renews its lease. */
    void downgrade(LeaseId lease, Duration duration, CompletableFuture<RenewAnswer> caller) {
        renew(lease, caller, holding -> holding.downgrade(duration, caller));
    }

    private void renew(LeaseId lease, CompletableFuture<RenewAnswer> caller, Consumer<Holding> then) {
        if (!isOurs(lease) || state.isLeaving()) {
            caller.complete(new RenewAnswer.Lost());
        } else if (state.step() instanceof Holding holding) {
            then.accept(holding);
        } else {
            // Perhaps it was handed over, and we have not heard of it yet.
            CompletableFuture<ClaimAnswer> first = new CompletableFuture<>();
            first.whenComplete((answer, failure) -> locks.execute(() -> {
                if (failure != null) {
                    caller.completeExceptionally(failure);
                } else if (answer instanceof ClaimAnswer.Granted) {
                    renew(lease, caller, then);
                } else {
                    caller.complete(new RenewAnswer.Lost());
                }
            }));
            ask(state.claim(), first);
        }
    }

    void release(LeaseId lease, Duration keep, CompletableFuture<ReleaseAnswer> caller) {
        Leaving gone = state.leaving();
        boolean isOver =
                gone != null ? gone.hasRunOut() : state.step() instanceof Holding && timer.isEnded(time.nanos());
        if (!isOurs(lease) || isOver) {
            caller.complete(ReleaseAnswer.NOT_HELD);
            return;
        }
        state.leave(keep, caller);
    }

    void withdraw(CompletableFuture<ReleaseAnswer> caller) {
        state.leave(Duration.ZERO, caller);
    }

    private boolean isOurs(LeaseId lease) {
        OwnNode node = state.node();
        return node != null
                && node.czxid() << 6 == lease.token()
                && lease.claim().equals(state.claim().id());
    }

    private long aliveNanos() {
        return WaitingRules.aliveFor(state.claim().lease()).toNanos();
    }

    /** Called when the timer has fired. */
    void wake() {
        if (state.requests.areOver() || state.isLeaving()) {
            return;
        }
        long now = time.nanos();
        if (timer.isEnded(now)) {
            state.callers.forgetDone();
            if (state.step() instanceof Holding || state.callers.isEmpty()) {
                state.runOut();
                return;
            }
            timer.endAt(now + aliveNanos());
        } else {
            state.step().wake(now);
        }
        if (!state.requests.areOver() && !state.isLeaving()) {
            timer.arm();
        }
    }

    void drive() {
        state.drive();
    }

    void sessionOver(Session ended) {
        state.sessionOver(ended);
    }

    /** Notes that the session was confirmed. */
    void confirmed() {
        if (state.step() instanceof Holding holding && !state.requests.areOver()) {
            holding.confirmed();
        }
    }

    /** Looks after a lease now and then. */
    void sweep() {
        if (state.step() instanceof Holding holding && !state.requests.areOver()) {
            holding.sweep();
        }
    }
}
