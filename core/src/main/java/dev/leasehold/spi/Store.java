package dev.leasehold.spi;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.LockInfo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store is the place where locks live, as one client sees it. Thread-safe; no operation blocks its caller; each is safe to
 * repeat.
 *
 * <p>Every store keeps these rules (the contract suite in {@code leasehold-testkit} tests them):
 *
 * <ul>
 *   <li>After a grant every operation names claim <b>and</b> token, and the store compares both.
 *   <li>A lease's end is brought forward only by release, break and expiry. Renewals and repeated claims set {@code
 *       max(end now, new end)}.
 *   <li>One routine, the hand-over, serves release, withdrawal (of a waiter, too), downgrade, break, and each claim before
 *       its asker is looked at: the lock goes to the first live waiter if it fits, then to the next, and so on until the
 *       first that does not fit; then to the asker, if it fits and nobody waits any more. Nobody overtakes the queue.
 *   <li>A waiter is alive for {@link WaitingRules#aliveFor} after its last request; a hand-over gives it {@link
 *       WaitingRules#claimPeriod} to confirm.
 *   <li>Tokens are {@code max(last + 1, the store's wall clock in µs)}; a grant moves {@code last} to the end of its run.
 * </ul>
 *
 * <p>A store that grants shares above 1 ({@link #sharing}) keeps several holders of a lock, and these rules:
 *
 * <ul>
 *   <li><b>Admission.</b> A claim fits if the number of live holders plus one is at most its own share and the share of
 *       every live holder. The share of a claim is that of its first arrival. Whether a claim fits is asked before whether
 *       anybody listens for its grant: a waiter that does not fit is never passed over.
 *   <li><b>Holders.</b> Each holder has claim, token, end, share and slot, all its own. Renewal, release and break concern
 *       one holder. One whose end has passed is gone, removed from the record or not: it counts for nothing, is not in the
 *       way of a slot, and cannot be renewed or released. The limit is the smallest share of the live, so it rises when the
 *       strictest has left.
 *   <li><b>Kept.</b> The rest of a lease that was released with {@code keepFor} counts as a live holder with its share and
 *       slot, without a claim, until it ends or is broken.
 *   <li><b>Marker.</b> Anything that says "taken" to clients that look no further than at one row or key ends no earlier
 *       than the last holder: it is written before the holder, and never brought forward while a holder is left.
 *   <li><b>Slots.</b> A grant with a finite share above 1 gets the smallest number that no live holder has. It is below the
 *       claim's share, because fewer holders than that are there; it is fixed at the grant, repeated in every answer to the
 *       claim, and of two holders that have had it the later one has the greater token. Other shares have none.
 *   <li><b>Tokens</b> increase in the order of the grants. A grant with a share above 1 reserves no run.
 *   <li><b>Order</b> is that of the claims' first arrival in the queue. The first waiter that does not fit stops all behind
 *       it, also those that would fit; a dead one for no longer than it counts as alive.
 * </ul>
 *
 * <p>Every stage completes within the context's {@code storeTimeout}: with an answer, or exceptionally with a {@link
 * StoreUnavailableException} where another try may help (it says whether the request may have been carried out), or with
 * another {@link LockException} where it will not (the file is no database, the user has no right).
 */
public interface Store extends AutoCloseable {

    /**
     * Asks for a lock.
     *
     * @param claim the request
     * @return granted or busy
     */
    CompletionStage<ClaimAnswer> claim(Claim claim);

    /**
     * Moves the end of a lease to {@code now + duration} by the store's clock, unless it is later already. Never brings a
     * missing lease back. With a very short duration this is only a question.
     *
     * @param lease the lease
     * @param duration how long it should last from now
     * @return the time left, or lost
     */
    CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration);

    /**
     * Makes the holder of an exclusive lease a reader (share {@link Claim#UNLIMITED}), renews the lease as {@link #renew}
     * does, and lets waiters in that fit now, in one atomic step. A lease that is a reader's already is only renewed, so the
     * request is safe to repeat, and a late one changes nothing: it names claim and token, and a share is only ever
     * loosened. The token stays; its run ends, which concerns the client alone.
     *
     * <p>The client counts itself a reader from the moment at which it sends the first request, and repeats it instead of
     * renewals until it is answered.
     *
     * @param lease the lease
     * @param duration how long it should last from now
     * @return the time left, or lost; exceptionally with an {@link UnsupportedOperationException} where {@link #sharing()}
     *     has no downgrades
     */
    default CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("this store has no downgrades; nothing was done"));
    }

    /**
     * Ends a lease and hands the lock to the next waiters, in one atomic step.
     *
     * @param lease the lease
     * @param keepFor how long the lock stays taken from now on, without a holder; zero for not at all. Repeating the
     *     request does not start that time anew
     * @return whether it was there
     */
    CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor);

    /**
     * Withdraws a claim: it leaves the queue; if it was granted meanwhile, the lease is released.
     *
     * @param lock the lock's name
     * @param claim the claim
     * @return completes when nothing of the claim is left
     */
    CompletionStage<Void> withdraw(String lock, ClaimId claim);

    /**
     * Lists the locks that are held, kept, or waited for, in the order of their names.
     *
     * @param pattern which ones
     * @return the locks
     */
    CompletionStage<List<LockInfo>> inspect(NamePattern pattern);

    /**
     * Ends the lease to whose run the token belongs, and no other of the same lock, and hands over; also the rest of a
     * lease that is kept without a holder. The holder learns of it by {@link
     * Signals#doubt} or by its next renewal.
     *
     * @param lock the lock's name
     * @param token any token of the lease's run
     * @return whether there was such a lease
     */
    CompletionStage<Boolean> breakLease(String lock, long token);

    /**
     * Returns which shares the store grants. Claims with others are never sent to it: a client refuses to make such a lock,
     * and says why.
     *
     * @return exclusive locks alone, unless a store says something else
     */
    default Sharing sharing() {
        return Sharing.exclusiveOnly("it keeps one holder of each lock");
    }

    /** {@return the longest lease that the store grants, a positive duration} */
    default Duration maxLease() {
        return Duration.ofDays(36_500);
    }

    /**
     * Returns how long a request whose answer was given up may still be on its way and be carried out.
     *
     * @return zero where a request that has failed is certainly over
     */
    default Duration requestHorizon() {
        return Duration.ZERO;
    }

    /**
     * Returns whether closing the store ends its leases, as it does where they depend on a session. If so, a client that is
     * closed while something is held keeps the store open in the background until that lease would have run out, so that
     * nobody else begins beside its holder.
     *
     * @return false where leases outlive the store object
     */
    default boolean closingEndsLeases() {
        return false;
    }

    /** Closes what the store has opened, at once: threads, connections, files. Operations under way fail. Idempotent. */
    @Override
    void close();
}
