package dev.leasehold.engine;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One lease of the store's, from its grant to its end, with the holds that are served along its run of tokens; and the
 * watchdog's timetable for it: renew at a third of the way to the deadline, from then on every tenth of the lease until
 * somebody answers or the deadline is reached.
 */
final class Tenure {

    /** No lease is as short as this, so renewing with it changes nothing: it is only a question. */
    private static final Duration QUESTION = Duration.ofMillis(1);

    private static final long MOST_RETRY_NANOS = 5_000_000_000L;
    private static final long EXTENSION_RETRY_NANOS = 100_000_000L;

    private final LeaseId lease;
    private final long endOfRun;
    private final Duration asked;
    private final boolean pushed;
    private final boolean stragglers;
    private final long beganAt;
    private final RandomGenerator random;
    private final List<Extension> extensions = new ArrayList<>();

    private Validity validity;
    private @Nullable Hold hold;
    private long nextToken;
    private int served;

    private long leaseNanos;
    private boolean renewing = true;
    private long renewAt;
    private boolean doubted;
    private long doubtedAt;
    private @Nullable Caller preparedFor;
    private boolean prepared;
    private long preparedAt;

    /**
     * Begins a tenure.
     *
     * @param asked the lease that was claimed
     * @param pushed whether the grant came unasked, and so lasts only for the claim period
     * @param stragglers whether requests of the claim may still be on their way
     */
    Tenure(
            LeaseId lease,
            int spare,
            Validity validity,
            Duration asked,
            boolean pushed,
            boolean stragglers,
            long now,
            RandomGenerator random) {
        this.lease = lease;
        this.endOfRun = lease.token() + spare;
        this.nextToken = lease.token();
        this.validity = validity;
        this.asked = asked;
        this.pushed = pushed;
        this.stragglers = stragglers;
        this.beganAt = now;
        this.random = random;
        this.leaseNanos = asked.toNanos();
        planRenewal();
        if (pushed) {
            renewAt = now;
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

    /** Whether so many callers of this process have been served in a row that the lock has to go back to the store. */
    boolean hasServedEnough(int mostHandOvers, long mostNanos, long now) {
        return served > 0 && (served > mostHandOvers || now - beganAt >= mostNanos || nextToken > endOfRun);
    }

    /**
     * Whether enough of the lease is left to give it to a caller. One who will not renew gets a lease that was just
     * granted or renewed; one who will may start where the watchdog would not have renewed yet.
     */
    boolean isReadyFor(Caller caller, long now) {
        if (doubted) {
            return false;
        }
        if (preparedFor == caller && prepared) {
            return true;
        }
        Duration wanted = caller.options().leaseDuration();
        boolean renews = caller.options().autoRenew();
        if (served == 0) {
            return asked.compareTo(wanted) >= 0 && (renews || !pushed);
        }
        return renews && validity.nanosLeft(now) >= wanted.toNanos() / 10 * 6;
    }

    /** Has the lease renewed for a caller before it is given to it. */
    void prepareFor(Caller caller, long now) {
        if (preparedFor != caller) {
            preparedFor = caller;
            prepared = false;
            preparedAt = now;
            renewing = true;
            leaseNanos = caller.options().leaseDuration().toNanos();
            renewAt = now;
        }
    }

    /** Since when the lease is being renewed for a caller, NEVER if it is not. */
    long preparingSince() {
        return preparedFor == null || prepared ? LocalQueue.NEVER : preparedAt;
    }

    /** Starts the turn of a caller, with the next token of the run. */
    Hold give(Caller caller, ClockReading now) {
        Hold next = new Hold(lease.lock(), nextToken++, caller, validity, now.nanos());
        hold = next;
        served++;
        preparedFor = null;
        leaseNanos = caller.options().leaseDuration().toNanos();
        renewing = caller.options().autoRenew();
        return next;
    }

    /** Ends the turn of the holder. */
    void vacate() {
        hold = null;
        extensions.clear();
    }

    /** Takes a confirmation over. A lease's end never moves back, so of two deadlines the later one is right. */
    void confirm(Validity confirmed) {
        boolean apart = confirmed.sentAt().divergenceSince(validity.sentAt()) > leaseNanos / 10;
        if (apart || confirmed.deadline() - validity.deadline() > 0) {
            validity = confirmed;
        } else if (confirmed.sentAt().nanos() - validity.sentAt().nanos() > 0) {
            validity = new Validity(confirmed.sentAt(), validity.deadline());
        }
        Hold current = hold;
        if (current != null) {
            current.confirm(validity);
        }
        long sentAt = confirmed.sentAt().nanos();
        if (doubted && sentAt - doubtedAt >= 0) {
            doubted = false;
        }
        if (preparedFor != null && sentAt - preparedAt >= 0) {
            prepared = true;
        }
        if (!doubted && (preparedFor == null || prepared)) {
            planRenewal();
        }
    }

    /** Has the lease confirmed by a request that is sent from now on. */
    void doubt(long now) {
        doubted = true;
        doubtedAt = now;
        renewAt = now;
    }

    void extend(Extension extension, long now) {
        extension.askedAt = now;
        extensions.add(extension);
        renewAt = now;
    }

    /** Takes out the extensions that a request sent at a given time has covered. */
    List<Extension> extensionsAskedBy(long sentAt) {
        List<Extension> done = new ArrayList<>();
        for (Iterator<Extension> all = extensions.iterator(); all.hasNext(); ) {
            Extension extension = all.next();
            if (sentAt - extension.askedAt >= 0) {
                done.add(extension);
                all.remove();
            }
        }
        return done;
    }

    void stopRenewing() {
        renewing = false;
    }

    boolean isRequestDue(long now) {
        return wantsRequest() && now - renewAt >= 0;
    }

    private boolean wantsRequest() {
        return renewing || doubted || !extensions.isEmpty();
    }

    /** What to ask the store for now; without an answer it will be asked again. */
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
            renewing = false;
        }
        return wanted <= QUESTION.toNanos() ? QUESTION : Duration.ofNanos(wanted);
    }

    long nextDue() {
        long due = validity.deadline();
        if (wantsRequest() && renewAt - due < 0) {
            due = renewAt;
        }
        Hold current = hold;
        if (current != null && current.announced() == LeaseState.HELD && current.options().autoRenew()) {
            long risk = Hold.riskAt(validity);
            due = risk - due < 0 ? risk : due;
        }
        return due;
    }

    private void planRenewal() {
        renewAt = validity.sentAt().nanos()
                + (validity.deadline() - validity.sentAt().nanos()) / 3;
    }
}
