package dev.leasehold.zookeeper;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Holding is the step in which a claim has the lock, alone or beside others. Each answer names a validity that the
 * session's proof covers, and that does not exceed the lease.
 */
final class Holding implements ClaimStep {

    /** A lease that is shorter than that does not pay for a watch on its own node. */
    private static final long WATCHED_AFTER_NANOS = 300_000_000L;

    private final ClaimState claim;
    private final ClientLocks locks;
    private final OwnNode mine;
    private final long token;
    private final int slot;
    private final long grantedAt;
    private final Downgrade downgrade;
    private boolean answered;
    private boolean watched;
    private long told;

    /**
     * Begins a lease.
     *
     * @param slot its slot, or {@link Grant#NO_SLOT}
     * @param told until when the client believes in it: at first not beyond the claim's begin
     */
    Holding(ClaimState claim, OwnNode mine, long token, int slot, long told) {
        this.claim = claim;
        this.locks = claim.locks;
        this.mine = mine;
        this.token = token;
        this.slot = slot;
        this.told = told;
        this.downgrade = new Downgrade(claim);
        this.grantedAt = claim.time.nanos();
    }

    /** Answers all callers with the grant; where there are none, a signal says it. */
    void begin() {
        List<CompletableFuture<ClaimAnswer>> all = claim.callers.takeAll();
        if (all.isEmpty()) {
            claim.timer.endAt(
                    grantedAt + WaitingRules.claimPeriod(claim.claim().lease()).toNanos());
            claim.timer.arm();
            signal(null);
            return;
        }
        claim.timer.endAt(grantedAt);
        all.forEach(this::confirmGrant);
    }

    long token() {
        return token;
    }

    int slot() {
        return slot;
    }

    /** Returns until when the client may believe in the lease. */
    long told() {
        return told;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public void drive(Session in) {
        if (downgrade.isUnanswered()) {
            downgrade.send(in);
        }
    }

    @Override
    public void stop() {
        downgrade.stop();
    }

    Downgrade downgrade() {
        return downgrade;
    }

    private LeaseId lease() {
        return new LeaseId(claim.claim().lock(), claim.claim().id(), token);
    }

    private Grant grant() {
        return new Grant(lease(), Tokens.spare(claim.claim()), claim.claim().share(), slot);
    }

    private void signal(@Nullable Validity validity) {
        locks.context().signals().granted(grant(), validity);
    }

    void confirmGrant(CompletableFuture<ClaimAnswer> caller) {
        Session in = claim.requests.session();
        Validity known = in.validity();
        long now = claim.time.nanos();
        boolean first = !answered;
        answered = true;
        Claim asked = claim.claim();
        long lease = ClaimTimer.nanos(asked.lease());
        if (known != null && known.nanosLeft(now) >= in.timeout().toNanos() / 3) {
            lastUntil((first && !claim.waited ? known.sentAt().nanos() : now) + lease);
            tell(within(known));
            caller.complete(grantUntil(within(known)));
            return;
        }
        lastUntil(now + lease);
        confirm(caller, validity -> caller.complete(grantUntil(validity)), () -> locks.claim(claim.claim(), caller));
    }

    private ClaimAnswer grantUntil(Validity validity) {
        return new ClaimAnswer.Granted(lease(), Tokens.spare(claim.claim()), slot, validity);
    }

    /** Makes a reader of a writer, and renews the lease; for others it only does the latter. */
    void downgrade(Duration duration, CompletableFuture<RenewAnswer> caller) {
        if (claim.timer.isEnded(claim.time.nanos())
                || !NodeName.isExclusive(claim.claim().share())) {
            renew(duration, caller);
            return;
        }
        lastUntil(claim.time.nanos() + ClaimTimer.nanos(duration));
        downgrade.ask(() -> renew(duration, caller), caller);
    }

    void renew(Duration duration, CompletableFuture<RenewAnswer> caller) {
        long now = claim.time.nanos();
        if (claim.timer.isEnded(now)) {
            claim.runOut();
            caller.complete(new RenewAnswer.Lost());
            return;
        }
        lastUntil(now + ClaimTimer.nanos(duration));
        answered = true;
        watchOwn();
        confirm(
                caller,
                validity -> caller.complete(new RenewAnswer.Renewed(validity)),
                () -> caller.complete(new RenewAnswer.Lost()));
    }

    private void lastUntil(long until) {
        claim.timer.endNotBefore(until);
        claim.timer.arm();
    }

    private void tell(Validity validity) {
        told = validity.deadline() - told > 0 ? validity.deadline() : told;
    }

    /** Returns a validity that lasts no longer than the session is proven to live, and no longer than the lease. */
    private Validity within(Validity validity) {
        long left = claim.timer.end() - validity.sentAt().nanos();
        Validity byLease = Validity.of(validity.sentAt(), Duration.ofNanos(Math.max(0, left)));
        return byLease.deadline() - validity.deadline() < 0 ? byLease : validity;
    }

    private void confirm(CompletableFuture<?> caller, Consumer<Validity> then, Runnable otherwise) {
        Session in = claim.requests.session();
        locks.session().heartbeat(in).beat((alive, refusal) -> {
            if (refusal != null) {
                caller.completeExceptionally(refusal);
                if (claim.isAt(this, in) && told - claim.time.nanos() <= 0) {
                    claim.refuse(refusal);
                }
                return;
            }
            if (!alive || !claim.isAt(this, in)) {
                otherwise.run();
                return;
            }
            Validity validity = in.validity();
            if (validity == null || validity.isOver(claim.time.nanos())) {
                caller.completeExceptionally(unproven());
                return;
            }
            Validity lasting = within(validity);
            tell(lasting);
            then.accept(lasting);
        });
    }

    private StoreUnavailableException unproven() {
        return new StoreUnavailableException(
                "the session with " + locks.session()
                        + " cannot be relied on yet: it was cut off for long, this machine slept, or a clock was set. "
                        + "It is confirmed within a third of the session time-out; whether '"
                        + claim.claim().lock() + "' is held is unknown until then",
                locks.session().toString(),
                Outcome.UNKNOWN,
                null);
    }

    /** Notes that the session was confirmed, for whatever reason: a signal tells the client, where that is news. */
    void confirmed() {
        Session in = claim.requests.session();
        Validity validity = answered ? in.validity() : null;
        if (validity != null) {
            Validity lasting = within(validity);
            if (lasting.deadline() - told >= in.timeout().toNanos() / 6) {
                told = lasting.deadline();
                signal(lasting);
            }
        }
    }

    /** Looks after the lease. Called now and then. */
    void sweep() {
        if (claim.time.nanos() - grantedAt >= WATCHED_AFTER_NANOS) {
            watchOwn();
        }
    }

    /** Watches our own node, which shows at once that somebody has ended the lease. */
    private void watchOwn() {
        Session in = claim.requests.session();
        if (watched || locks.session().ready() != in) {
            return;
        }
        watched = true;
        claim.own.watch(in, mine.child(), event -> ownChanged(in, event), code -> {
            watched &= code == Code.OK;
            if (code == Code.NONODE && claim.isAt(this, in)) {
                claim.nodeGone();
            }
        });
    }

    /** Handles an event that has come for our own node, and used up its watch. */
    private void ownChanged(Session in, WatchedEvent event) {
        if (!claim.isAt(this, in) || event.getType() == EventType.None) {
            return;
        }
        watched = false;
        if (event.getType() == EventType.NodeDeleted) {
            claim.nodeGone();
        } else {
            watchOwn();
        }
    }
}
