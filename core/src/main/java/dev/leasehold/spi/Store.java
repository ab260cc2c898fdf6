package dev.leasehold.spi;

import dev.leasehold.LockException;
import dev.leasehold.LockInfo;
import dev.leasehold.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
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
 *   <li>One routine, the hand-over, serves release, withdrawal and a claim that finds the lock free: the lock goes to the
 *       first live waiter, else to the asker. Nobody overtakes the queue.
 *   <li>A waiter is alive for {@link WaitingRules#aliveFor} after its last request; a hand-over gives it {@link
 *       WaitingRules#claimPeriod} to confirm.
 *   <li>Tokens are {@code max(last + 1, the store's wall clock in µs)}; a grant moves {@code last} to the end of its run.
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
     * Ends a lease and hands the lock to the next waiter, in one atomic step.
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
     * Ends the lease to whose run the token belongs, and no other, and hands over; the holder learns of it by {@link
     * Signals#doubt} or by its next renewal.
     *
     * @param lock the lock's name
     * @param token any token of the lease's run
     * @return whether there was such a lease
     */
    CompletionStage<Boolean> breakLease(String lock, long token);

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
