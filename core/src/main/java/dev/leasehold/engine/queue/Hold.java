package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Validity;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A hold is what one caller has: the lease, or its turn within a lease that its client keeps for several callers.
 *
 * <p>Why it can be believed: everything that is known of the hold is one reference, {@code status}, which is either a
 * validity or an end. Each look compares the validity with the clocks at that moment, so no thread, timer or answer is
 * needed for a hold to be seen as lost. The first look that finds the hold lost records that with a compare-and-set, and a
 * confirmation is written with one too: an answer that comes in after anybody has seen "lost" finds an end there and
 * changes nothing. A lease holds only while both clocks say so ({@link Validity#isConfirmedBy}): a short sleep of the
 * machine stops only the monotonic one. In the same way the first look that finds the two clocks disagreeing records the
 * moment. From then on only the answer to a later request makes the hold valid again, even if the clocks have come together
 * meanwhile. If no such answer has come after a fifth of the lease, the hold is over, because its holder has to learn of
 * the loss in time. Ends are final but for one: a release may turn out to have come too late.
 */
public final class Hold {

    private sealed interface Status {}

    /**
     * A live hold is one whose clocks agree.
     *
     * @param riskSince since when the store has not reached what the lease depends on, or null
     */
    private record Live(Validity validity, @Nullable Long riskSince) implements Status {}

    private record Doubted(Validity validity, long since) implements Status {}

    private record Over(LeaseState state, boolean inDoubt) implements Status {}

    /** A hold may be in doubt for the duration of its lease divided by this. */
    private static final int DOUBT_SHARE = 5;

    private static final AtomicReferenceFieldUpdater<Hold, Status> STATUS =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Status.class, "status");

    private static final Over LOST = new Over(LeaseState.LOST, false);
    private static final Over LOST_IN_DOUBT = new Over(LeaseState.LOST, true);
    private static final Over ABANDONED = new Over(LeaseState.LOST, false);

    private final String lock;
    private final long token;
    private final int slot;
    private volatile LockOptions options;
    private final @Nullable Thread owner;
    private final @Nullable WeakReference<Thread> waiter;
    private volatile long startedAt;
    private volatile Status status;

    /** Completes with the final state, never exceptionally. */
    public final CompletableFuture<LeaseState> ended = new CompletableFuture<>();

    /** Completes with the final state that the release has led to; exceptionally if the store has not answered it. */
    public final CompletableFuture<LeaseState> released = new CompletableFuture<>();

    /** This is how it was lost; null if it is not, or if nobody but its holder has noticed yet. */
    public volatile @Nullable Loss loss;

    /**
     * The watcher has the lease object and its listeners. It is set once, before the hold is given to its caller; it
     * refers to the lease weakly, so that a dropped one is noticed.
     */
    private volatile @Nullable HoldWatcher watcher;

    private volatile int share;
    private volatile @Nullable Extension downgrade;
    private volatile boolean retired;
    private volatile boolean undelivered;
    private final Awaited awaited = new Awaited();

    private LeaseState announced = LeaseState.HELD;

    Hold(String lock, long token, int share, int slot, Caller caller, Validity validity, long now) {
        this.lock = lock;
        this.token = token;
        this.slot = slot;
        this.share = share;
        this.options = caller.options();
        this.owner = caller.owner();
        this.waiter = caller.waiter;
        this.startedAt = now;
        this.status = new Live(withinMaxHold(validity), null);
    }

    public String lock() {
        return lock;
    }

    /** Returns the lock's name as its holder wrote it. */
    String ownName() {
        HoldWatcher watching = watcher;
        return watching == null ? lock : watching.ownName();
    }

    public long token() {
        return token;
    }

    /** Returns with how many holders at most, itself included, it coexists. */
    public int share() {
        return share;
    }

    /** Returns the slot of a permit, or {@link Grant#NO_SLOT}. */
    public int slot() {
        return slot;
    }

    /** Has it count as begun now, with other options: its validity is cut to their {@code maxHold}. */
    void beginAnew(LockOptions others, long now) {
        options = others;
        startedAt = now;
        while (status instanceof Live live) {
            if (STATUS.compareAndSet(this, live, new Live(withinMaxHold(live.validity()), live.riskSince()))) {
                return;
            }
        }
    }

    /** Returns whether a thread owns it, which may enter again. */
    public boolean isOwned() {
        return owner != null;
    }

    /** Returns the extension by which it became a reader, or null. */
    public @Nullable Extension downgrade() {
        return downgrade;
    }

    /** Notes, before anything is sent, that it is a reader from now on. */
    public void downgrade(Extension by) {
        downgrade = by;
        share = Claim.UNLIMITED;
    }

    public LockOptions options() {
        return options;
    }

    @Nullable Thread owner() {
        return owner;
    }

    /** Returns the thread that waited for the hold, if one did and it lives: perhaps the thread that works under it. */
    public @Nullable Thread waiter() {
        return waiter == null ? null : waiter.get();
    }

    public void watchedBy(HoldWatcher value) {
        watcher = value;
    }

    public @Nullable HoldWatcher watcher() {
        return watcher;
    }

    public LeaseState state(ClockReading now) {
        while (true) {
            Status current = status;
            if (current instanceof Over over) {
                return over.state();
            }
            Validity validity = validity(current);
            if (validity.isOver(now.nanos())) {
                if (STATUS.compareAndSet(this, current, LOST)) {
                    return LeaseState.LOST;
                }
            } else if (isTooLongInDoubt(current, now.nanos())) {
                if (STATUS.compareAndSet(this, current, LOST_IN_DOUBT)) {
                    return LeaseState.LOST;
                }
            } else if (current instanceof Doubted) {
                return LeaseState.UNCONFIRMED;
            } else if (validity.isConfirmedBy(now)) {
                boolean late = options.autoRenew() && now.nanos() - riskAt(validity) >= 0;
                return late || riskSince(current) != null ? LeaseState.AT_RISK : LeaseState.HELD;
            } else if (STATUS.compareAndSet(this, current, new Doubted(validity, now.nanos()))) {
                return LeaseState.UNCONFIRMED;
            }
        }
    }

    private boolean isTooLongInDoubt(Status current, long now) {
        return current instanceof Doubted doubted && now - endOfDoubt(doubted) >= 0;
    }

    private long endOfDoubt(Doubted doubted) {
        return doubted.since() + options.leaseDuration().toNanos() / DOUBT_SHARE;
    }

    /**
     * Returns when the hold ends if nothing more is heard from the store: at its deadline, or earlier if it is in doubt.
     * Null if it is over.
     */
    @Nullable Long endsAt() {
        Status current = status;
        if (current instanceof Over) {
            return null;
        }
        long deadline = validity(current).deadline();
        if (current instanceof Doubted doubted && endOfDoubt(doubted) - deadline < 0) {
            return endOfDoubt(doubted);
        }
        return deadline;
    }

    private static @Nullable Long riskSince(Status current) {
        return current instanceof Live live ? live.riskSince() : null;
    }

    private static Validity validity(Status current) {
        return current instanceof Doubted doubted ? doubted.validity() : ((Live) current).validity();
    }

    /**
     * Cuts a validity to {@code maxHold}: a lease that was asked for by another caller, or granted late, may last longer
     * than this hold may.
     */
    private Validity withinMaxHold(Validity granted) {
        if (options.maxHold().equals(LockOptions.FOREVER)) {
            return granted;
        }
        long end = startedAt + options.maxHold().toNanos();
        return granted.deadline() - end > 0 ? new Validity(granted.sentAt(), end) : granted;
    }

    /**
     * Returns from when on a missing renewal counts as late: two thirds of the way from the confirmation to the deadline.
     */
    static long riskAt(Validity validity) {
        return validity.deadline() - (validity.deadline() - validity.sentAt().nanos()) / 3;
    }

    /** Returns the validity that confirmed the hold last, or null if the hold is over. */
    public @Nullable Validity validity() {
        Status current = status;
        return current instanceof Over ? null : validity(current);
    }

    public Duration remaining(ClockReading now) {
        return state(now).isValid() && status instanceof Live live
                ? Duration.ofNanos(Math.max(0, live.validity().nanosLeft(now)))
                : Duration.ZERO;
    }

    /**
     * Takes a confirmation over, and returns whether it counts. An end stays an end, and a doubt stays unless the request
     * was sent after it arose.
     */
    boolean confirm(Validity validity) {
        while (true) {
            Status current = status;
            if (current instanceof Over
                    || (current instanceof Doubted doubted && validity.sentAt().nanos() - doubted.since() < 0)) {
                return false;
            }
            Long risk = riskSince(current);
            Long left = risk != null && validity.sentAt().nanos() - risk < 0 ? risk : null;
            if (STATUS.compareAndSet(this, current, new Live(withinMaxHold(validity), left))) {
                return true;
            }
        }
    }

    /** Puts the hold at risk for as long as it is valid, until it is confirmed by a request that is sent from now on. */
    void risk(long now) {
        while (status instanceof Live live) {
            if (STATUS.compareAndSet(this, live, new Live(live.validity(), now))) {
                return;
            }
        }
    }

    /** Ends the hold on behalf of its holder; returns false if it was over before. */
    public boolean end(ClockReading now) {
        while (true) {
            LeaseState state = state(now);
            if (state.isFinal()) {
                return false;
            }
            Status current = status;
            if (!(current instanceof Over)
                    && STATUS.compareAndSet(
                            this, current, new Over(LeaseState.RELEASED, state == LeaseState.UNCONFIRMED))) {
                return true;
            }
        }
    }

    /** Returns whether the clocks have cast doubt on the hold and no answer has resolved it yet. */
    boolean isInDoubt() {
        return status instanceof Doubted;
    }

    /** Returns whether the hold was lost because it was in doubt for too long: the store may have its lease for longer. */
    boolean wasLostInDoubt() {
        return status == LOST_IN_DOUBT;
    }

    /** Returns whether its holder ended it while it was in doubt, when nobody could say whether it was still held. */
    boolean endedInDoubt() {
        return status instanceof Over over && over.inDoubt();
    }

    /**
     * Ends the hold as lost because its client is closed before its holder has ended it; returns false if it was over
     * before.
     */
    boolean abandon(ClockReading now) {
        while (true) {
            if (state(now).isFinal()) {
                return false;
            }
            Status current = status;
            if (!(current instanceof Over) && STATUS.compareAndSet(this, current, ABANDONED)) {
                return true;
            }
        }
    }

    public boolean isAbandoned() {
        return status == ABANDONED;
    }

    /** Ends the hold as lost, even if it was released: the release came too late then. */
    public void lose(Loss how) {
        loss = how;
        status = LOST;
    }

    /**
     * Notes that its caller gave up before it had the lease: nothing has run under it, so nothing is kept for {@code
     * minHold}.
     */
    public void notDelivered() {
        undelivered = true;
    }

    /** Returns for how long the lock must stay taken although the hold is over. */
    long keepNanos(long now) {
        return undelivered ? 0 : Math.max(0, options.minHold().toNanos() - (now - startedAt));
    }

    /** Returns for how long the hold may still be renewed. */
    long holdNanosLeft(long now) {
        return options.maxHold().equals(LockOptions.FOREVER)
                ? Long.MAX_VALUE
                : options.maxHold().toNanos() - (now - startedAt);
    }

    /** Returns whether somebody could still want the lease renewed: its owner thread lives and its object is referenced. */
    boolean isWanted() {
        HoldWatcher watching = watcher;
        return (owner == null || owner.isAlive()) && (watching == null || watching.isReferenced());
    }

    /** Returns whether somebody else is known to wait for the lock. */
    public boolean isAwaited() {
        return awaited.isKnown();
    }

    Awaited awaited() {
        return awaited;
    }

    /** Notes that its holder is about to leave: the hold is not renewed any more, and ends with its lease at the latest. */
    public void retire() {
        retired = true;
    }

    boolean isRetired() {
        return retired;
    }

    /** Notes that the listeners learn of a state; returns false if they know it already. For the local queue alone. */
    boolean announce(LeaseState state) {
        if (announced == state) {
            return false;
        }
        announced = state;
        return true;
    }

    LeaseState announced() {
        return announced;
    }
}
