package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/** An event is something that happens to a local queue. */
public sealed interface Event {

    /** A caller wants the lock. */
    record Join(Caller caller) implements Event {}

    /** A caller does not want the lock any more, because it was interrupted or cancelled. */
    record Leave(Caller caller) implements Event {}

    /** A caller has waited as long as it wanted to. */
    record WaitOver(Caller caller) implements Event {}

    /** A holder has ended its hold. */
    record EndHold(Hold hold) implements Event {}

    /** A holder wants its lease renewed now. */
    record Extend(Hold hold, Extension extension) implements Event {}

    /** A holder makes a reader of itself; the extension says for how long, and tells of the answer. */
    record Downgrade(Hold hold, Extension extension) implements Event {}

    /** A hold counts as begun now, with other options; with an extension if its lease has to be renewed for that. */
    record BeginAnew(
            Hold hold, LockOptions options, @Nullable Extension extension) implements Event {}

    /** A caller has waited for long for a lock of this name, with this share or another. */
    record Asked(Caller caller) implements Event {}

    /** The timer that the queue had asked for has gone off. */
    record Wake() implements Event {}

    /** The clocks have shown somebody that a lease is over or in doubt. */
    record Look() implements Event {}

    /** The store has answered a claim. */
    record ClaimAnswered(ClaimId claim, ClaimAnswer answer) implements Event {}

    /** The store has not answered a claim. */
    record ClaimFailed(ClaimId claim, LockException failure) implements Event {}

    /**
     * The store has answered a renewal.
     *
     * @param askedAt when the store was asked, which may send a request later: what was wanted since is not in it
     */
    record RenewAnswered(LeaseId lease, RenewAnswer answer, long askedAt) implements Event {}

    /** The store has not answered a renewal. */
    record RenewFailed(LeaseId lease, LockException failure) implements Event {}

    /** The store has answered a release. */
    record ReleaseAnswered(LeaseId lease, ReleaseAnswer answer) implements Event {}

    /** The store has carried out a withdrawal. */
    record WithdrawAnswered(ClaimId claim) implements Event {}

    /** The store has not answered the release of a lease or, without one, the withdrawal of a claim. */
    record CleanupFailed(ClaimId claim, @Nullable LeaseId lease, LockException failure) implements Event {}

    /** The store signals that a claim was granted. */
    record GrantSignal(Grant grant, @Nullable Validity validity) implements Event {}

    /**
     * The store signals that what is held should be confirmed.
     *
     * @param atRisk whether it depends on a connection that is broken
     */
    record DoubtSignal(boolean atRisk) implements Event {}

    /** The client is closing: it takes no new callers and lets the holds end. */
    record Close() implements Event {}

    /** The client has given the holds as much time to end as it may: what is still held is lost to its holder. */
    record Abandon() implements Event {}
}
