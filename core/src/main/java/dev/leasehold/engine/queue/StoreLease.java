package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A store lease is one lease granted by the store, from its grant to its end, with the holds that are served along its run
 * of tokens. It also keeps the watchdog's timetable: renew at a third of the way to the deadline, from then on every tenth
 * of the lease until the store answers or the deadline is reached.
 */
final class StoreLease {

    /** A renewal with this duration is only a question: no lease is as short, so it changes nothing. */
    private static final Duration QUESTION = Duration.ofMillis(1);

    private static final long MOST_RETRY_NANOS = 5_000_000_000L;
    private static final long EXTENSION_RETRY_NANOS = 100_000_000L;

    /**
     * A pushed grant is confirmed by a renewal after this time at the latest. A holder that is done sooner confirms the
     * hand-over by its release, and no renewal is sent.
     */
    private static final long MOST_PAUSE_AFTER_PUSH_NANOS = 20_000_000L;

    private final LeaseId lease;
    private final int share;
    private final int slot;
    private final long endOfRun;
    private final Duration asked;
    private final boolean pushed;
    private final boolean stragglers;
    private final long beganAt;
    private final RandomGenerator random;
    private List<Extension> extensions = List.of();

    /** This is the hold that has ended last, until its end is settled or its lease is given back. */
    @Nullable Hold endedHold;

    /** The queue has it no more. */
    boolean ended;

    private Validity validity;
    private @Nullable Hold hold;
    private long nextToken;
    private int served;
    private boolean downgraded;
    private boolean downgrading;
    private long downgradedAt;

    private long leaseNanos;
    private long askedNanos;
    private boolean renewing = true;
    private long renewAt;
    private boolean doubted;
    private long doubtedAt;
    private boolean capped;
    private long cappedAt;
    private long endInStore;
    private @Nullable Caller preparedFor;
    private boolean prepared;
    private long preparedAt;

    /**
     * Begins with a grant.
     *
     * @param asked the lease that was claimed
     * @param pushed whether the grant came unasked, and so lasts only for the claim period
     * @param stragglers whether requests of the claim may still be on their way
     */
    StoreLease(
            LeaseId lease,
            int share,
            int spare,
            int slot,
            Validity validity,
            Duration asked,
            boolean pushed,
            boolean stragglers,
            long now,
            RandomGenerator random) {
        this.lease = lease;
        this.share = share;
        this.slot = slot;
        this.endOfRun = lease.token() + spare;
        this.nextToken = lease.token();
        this.validity = validity;
        this.asked = asked;
        this.pushed = pushed;
        this.stragglers = stragglers;
        this.beganAt = now;
        this.random = random;
        this.leaseNanos = asked.toNanos();
        this.askedNanos = leaseNanos;
        this.endInStore = now + withMargin(leaseNanos);
        planRenewal(false);
        if (pushed) {
            renewAt = now + Math.min(MOST_PAUSE_AFTER_PUSH_NANOS, validity.nanosLeft(now) / 10);
        }
    }

    LeaseId lease() {
        return lease;
    }

    @Nullable Hold hold() {
        return hold;
    }

    List<Extension> extensions() {
        return extensions;
    }

    boolean isOver(long now) {
        return validity.isOver(now);
    }

    boolean mayHaveStragglers() {
        return stragglers;
    }

    boolean isRenewing() {
        return renewing;
    }

    boolean isDoubted() {
        return doubted;
    }

    /** Returns whether the watchdog has begun to ask for less than a lease, as the hold reaches its {@code maxHold}. */
    boolean isCapped() {
        return capped;
    }

    /** Returns for how long from now on the store may keep the lease if nothing more is heard of it, confirmed or not. */
    long nanosInStore(long now) {
        return endInStore - now;
    }

    /** Returns whether both clocks say that the lease holds, by its last confirmation. */
    boolean isConfirmedBy(ClockReading clocks) {
        return validity.isConfirmedBy(clocks);
    }

    /** Returns whether the clocks have moved alike since the last confirmation. */
    boolean hasClocksInStep(ClockReading clocks) {
        return validity.agrees(clocks);
    }

    /** Returns whether a caller of this process has had the lease already. */
    boolean hasServed() {
        return served > 0;
    }

    /**
     * Returns whether so many callers of this process have been served in a row that the lock has to go back to the store.
     */
    boolean hasServedEnough(int mostHandOvers, long mostNanos, long now) {
        return served > 0
                && (served > mostHandOvers || now - beganAt >= mostNanos || nextToken > endOfRun || downgraded);
    }

    /**
     * Returns whether enough of the lease is left to give it to a caller. A caller that will not renew gets a lease that
     * was just granted or renewed. One that will renew may start at any point before the watchdog would have renewed, also
     * where the store has confirmed less than it was asked for.
     */
    boolean isReadyFor(Caller caller, long now) {
        if (doubted) {
            return false;
        }
        if (preparedFor == caller && prepared) {
            return true;
        }
        Duration wanted = caller.firstLease();
        boolean renews = caller.options().autoRenew();
        if (served == 0) {
            return asked.compareTo(wanted) >= 0 && (renews || !pushed);
        }
        long confirmed = validity.deadline() - validity.sentAt().nanos();
        long whole = askedNanos >= wanted.toNanos() ? Math.min(wanted.toNanos(), confirmed) : wanted.toNanos();
        return renews && validity.nanosLeft(now) >= whole / 10 * 6;
    }

    /** Has the lease renewed for a caller before the lease is given to it. */
    void prepareFor(Caller caller, long now) {
        if (preparedFor != caller) {
            preparedFor = caller;
            prepared = false;
            preparedAt = now;
            renewing = true;
            leaseNanos = caller.firstLease().toNanos();
            renewAt = now;
        }
    }

    /** Returns whether the lease is being renewed for a caller. */
    boolean isPreparing() {
        return preparedFor != null && (!prepared || doubted);
    }

    /** Starts the turn of a caller, with the next token of the run. */
    Hold give(Caller caller, ClockReading now) {
        Hold next = new Hold(lease.lock(), nextToken++, share, slot, caller, validity, now.nanos());
        hold = next;
        served++;
        preparedFor = null;
        leaseNanos = caller.options().leaseDuration().toNanos();
        renewing = caller.options().autoRenew();
        capped = false;
        return next;
    }

    /** Ends the turn of the holder. */
    void clearHold() {
        hold = null;
        extensions = List.of();
    }

    /**
     * Takes a confirmation over. A lease's end never moves back, so of two confirmations the one that lasts longer is
     * right, together with its own clocks: the newer clocks beside the older deadline would forget the time that the
     * machine has slept in between. In doubt the new one counts, since only that was asked for after the doubt arose.
     *
     * @param askedAt when the store was asked for it, which may have sent the request later
     * @return the extensions that its request has covered
     */
    List<Extension> confirm(Validity confirmed, long askedAt) {
        Hold current = hold;
        boolean inDoubt = current != null && current.isInDoubt();
        Validity merged = inDoubt || hasOutlasted(confirmed) ? confirmed : validity;
        if (current != null && !current.confirm(merged)) {
            return List.of();
        }
        validity = merged;
        long sentAt = confirmed.sentAt().nanos();
        boolean resolved = doubted && sentAt - doubtedAt >= 0;
        doubted &= !resolved;
        if (preparedFor != null && askedAt - preparedAt >= 0) {
            prepared = true;
        }
        if (capped && askedAt - cappedAt >= 0) {
            renewing = false;
        }
        downgrading &= askedAt - downgradedAt < 0;
        List<Extension> covered = extensionsAskedBy(askedAt);
        if (!doubted && (preparedFor == null || prepared) && extensions.isEmpty()) {
            planRenewal(resolved);
        }
        return covered;
    }

    /**
     * Returns whether a confirmation lasts longer than the one that was known when it was asked for, or whether that one
     * was worth nothing by then.
     */
    private boolean hasOutlasted(Validity confirmed) {
        ClockReading asked = confirmed.sentAt();
        return !validity.isConfirmedBy(asked) || confirmed.length() > validity.nanosLeft(asked);
    }

    /** Has the lease confirmed by a request that is sent from now on. */
    void doubt(long now) {
        doubted = true;
        doubtedAt = now;
        renewAt = now;
    }

    /** Renews from now on as other options say. */
    void beginAnew(LockOptions options) {
        leaseNanos = options.leaseDuration().toNanos();
        renewing = options.autoRenew();
        capped = false;
    }

    /** Makes a reader of the holder: its run ends, and all requests are downgrades until one of them is answered. */
    void downgrade(long now) {
        if (!downgraded) {
            downgraded = true;
            downgrading = true;
            downgradedAt = now;
        }
    }

    boolean isDowngraded() {
        return downgraded;
    }

    /** Returns whether the store may not know yet that the holder is a reader. */
    boolean isDowngrading() {
        return downgrading;
    }

    void extend(Extension extension, long now) {
        extension.askedAt = now;
        extensions = new ArrayList<>(extensions);
        extensions.add(extension);
        renewAt = now;
    }

    /** Takes out the extensions that a request asked for at a given time has covered. */
    private List<Extension> extensionsAskedBy(long requestedAt) {
        if (extensions.isEmpty()) {
            return List.of();
        }
        List<Extension> all = extensions;
        extensions = all.stream().filter(one -> requestedAt - one.askedAt < 0).toList();
        return all.stream().filter(one -> requestedAt - one.askedAt >= 0).toList();
    }

    void stopRenewing() {
        renewing = false;
    }

    boolean isRequestDue(long now) {
        return wantsRequest() && now - renewAt >= 0;
    }

    /** Returns whether nobody was at work in this process when the next request was due. */
    boolean hasNotAsked(long now) {
        return wantsRequest() && now - renewAt >= leaseNanos / 8;
    }

    private boolean wantsRequest() {
        return renewing || doubted || !extensions.isEmpty();
    }

    /** Returns the duration to renew for now; without an answer the next request follows. */
    Duration nextRequest(long now) {
        long retry = Math.min(leaseNanos / 10, extensions.isEmpty() ? MOST_RETRY_NANOS : EXTENSION_RETRY_NANOS);
        renewAt = now + (long) (retry * (0.75 + random.nextDouble() / 2));
        long wanted = renewing ? leaseNanos : 0;
        for (Extension extension : extensions) {
            wanted = Math.max(wanted, extension.duration().toNanos());
        }
        Hold current = hold;
        long most = current == null ? Long.MAX_VALUE : current.holdNanosLeft(now);
        if (wanted > most) {
            wanted = most;
            cap(now);
        }
        if (current != null && renewing) {
            wanted = Math.max(wanted, current.keepNanos(now));
        }
        askedNanos = Math.max(askedNanos, wanted);
        endInStore += Math.max(0, now + withMargin(wanted) - endInStore);
        return wanted <= QUESTION.toNanos() ? QUESTION : Duration.ofNanos(wanted);
    }

    /** Limits requests to what is left of {@code maxHold} from now on, until that is confirmed, or over. */
    private void cap(long now) {
        Hold current = hold;
        if (renewing && !capped) {
            capped = true;
            cappedAt = now;
        }
        if (current != null && current.holdNanosLeft(now) <= 0) {
            renewing = false;
        }
    }

    long nextDue() {
        Hold current = hold;
        Validity holds = current == null ? null : current.validity();
        Validity counts = holds == null ? validity : holds;
        Long ends = current == null ? null : current.endsAt();
        long due = ends == null ? counts.deadline() : ends;
        due = wantsRequest() ? DueTimes.earlier(due, renewAt) : due;
        if (current != null && current.options().autoRenew() && current.announced() == LeaseState.HELD) {
            due = DueTimes.earlier(due, Hold.riskAt(counts));
        }
        return due;
    }

    /** Returns how long such a time may last in the store if its clock is slower than ours. */
    private static long withMargin(long nanos) {
        return nanos + nanos / 64;
    }

    /**
     * Plans the renewal for a third of the way to the deadline, or up to a 128th part of that earlier: at a multiple of a
     * power of two, so that leases of like length are renewed together, which costs client and store much less. After a doubt
     * up to half of the way earlier: many leases may have it, and be renewed, at one moment.
     */
    private void planRenewal(boolean spread) {
        long third = (validity.deadline() - validity.sentAt().nanos()) / 3;
        long pause = spread ? third / 2 + random.nextLong(third / 2 + 1) : third;
        renewAt = DueTimes.together(validity.sentAt().nanos() + pause, third);
    }
}
