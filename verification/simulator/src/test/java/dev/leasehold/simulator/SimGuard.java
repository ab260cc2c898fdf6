package dev.leasehold.simulator;

import java.util.EnumSet;
import java.util.Set;

/**
 * A simulated guard is one of the rules that keep the promises. A run can be made with one of them switched off, to see that
 * the checks find it: a check that cannot fail proves nothing.
 */
public enum SimGuard {
    /** A node ends a lease only for the claim that has it. */
    RELEASE_COMPARES_CLAIM,
    /** A node ends a lease only for the token that came with it. */
    RELEASE_COMPARES_TOKEN,
    /** A renewal never brings a lease back. */
    RENEW_NEVER_REVIVES,
    /** A renewal never brings the end of a lease forward. */
    RENEW_NEVER_SHORTENS,
    /** A repeated claim never brings the end of a lease forward. */
    CLAIM_NEVER_SHORTENS,
    /** A lease ends at its end, not before. */
    LEASE_LASTS,
    /** A node remembers the last token of a lock that nobody holds. */
    LAST_TOKEN_KEPT,
    /** A grant moves the last token to the end of its run. */
    RUN_RESERVED,
    /** A hand-over goes to the first waiter. */
    FIRST_WAITER_SERVED,
    /** A claim that finds the lock free queues behind those that wait. */
    ASKER_BEHIND_QUEUE,
    /** A waiter that has gone silent is passed over. */
    DEAD_WAITERS_PASSED_OVER,
    /** A release hands over in the same step. */
    RELEASE_HANDS_OVER,
    /** A withdrawal also leaves the queue. */
    WITHDRAWAL_LEAVES_QUEUE,
    /** A withdrawal also ends the lease that the claim was granted meanwhile. */
    WITHDRAWAL_ENDS_LEASE,
    /** A released lock is kept taken for as long as it was asked for. */
    KEPT_FOR_AS_LONG,
    /** A claim is let in only within its own share. */
    OWN_SHARE_COUNTS,
    /** A claim is let in only within the share of every holder. */
    HOLDERS_SHARES_COUNT,
    /** The share of a holder that has left sets no limit. */
    ONLY_THE_LIVING_LIMIT,
    /** The first waiter that does not fit stops those behind it. */
    FIRST_THAT_DOES_NOT_FIT_STOPS,
    /** A hand-over lets in all that fit. */
    ALL_THAT_FIT_COME_IN,
    /** The withdrawal of a waiter hands over, too. */
    WITHDRAWN_WAITER_HANDS_OVER,
    /** Each holder has an end of its own. */
    EACH_HAS_ITS_OWN_END,
    /** A lock that is kept after a release counts as held. */
    KEPT_COUNTS,
    /** A permit gets the smallest slot that is free. */
    SMALLEST_FREE_SLOT,
    /** A slot stays the same for as long as its permit is held. */
    SLOT_IS_FIXED,
    /** A downgrade hands over. */
    DOWNGRADE_HANDS_OVER,
    /** A late claim does not make a writer of a reader again. */
    SHARE_IS_ONLY_LOOSENED,
    /** A downgraded holder is a reader from the sending on, not from the answer on. */
    READER_FROM_THE_SENDING,
    /** A fence refuses writers below the newest token, readers' included. */
    FENCE_REFUSES_WRITERS_BELOW_NEWEST,
    /** A reader raises the newest token of a fence. */
    FENCE_READER_RAISES_NEWEST,
    /** A writer raises the exclusive token of a fence, too. */
    FENCE_WRITER_RAISES_EXCLUSIVE,
    /** A deadline counts from the sending of the request that was answered. */
    DEADLINE_FROM_SENDING,
    /** A deadline uses the time left that the answer names. */
    TIME_LEFT_FROM_ANSWER,
    /** A pushed grant counts from the stamp that it tells: the client's clocks before it asked. */
    PUSHED_GRANT_FROM_STAMP,
    /** The node tells a client that its lease is lost. */
    LOSS_ANSWERED,
    /** The monotonic clock moves. */
    MONOTONIC_CLOCK_MOVES,
    /** Tasks that are due are run. */
    TIMERS_FIRE,
    /** No clock is more than one per cent slow. */
    CLOCKS_WITHIN_ONE_PER_CENT,
    /** The wall clock shows that the machine was suspended. */
    SUSPENSION_SHOWS;

    private static final Set<SimGuard> SHARING = EnumSet.range(OWN_SHARE_COUNTS, FENCE_WRITER_RAISES_EXCLUSIVE);

    /** {@return whether the rule concerns shared locks, so that only runs with them show it} */
    public boolean concernsSharing() {
        return SHARING.contains(this);
    }
}
