package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a local queue wants done. */
public sealed interface Action {

    /** Send a claim. */
    record SendClaim(Claim claim) implements Action {}

    /** Send a renewal. */
    record SendRenew(LeaseId lease, Duration duration) implements Action {}

    /** Send a release. */
    record SendRelease(LeaseId lease, Duration keepFor) implements Action {}

    /** Send a withdrawal. */
    record SendWithdraw(ClaimId claim) implements Action {}

    /** Give a hold to a caller. */
    record Give(Caller caller, Hold hold) implements Action {}

    /** Tell a caller that the lock is busy. */
    record Refuse(Caller caller) implements Action {}

    /** Tell a caller that its call has failed. */
    record Fail(Caller caller, RuntimeException failure) implements Action {}

    /** Tell the listeners of a hold its new state. */
    record Announce(Hold hold, LeaseState state) implements Action {}

    /** Tell a hold what became of it in the end; with a failure if the store has not answered its release. */
    record Settle(Hold hold, LeaseState state, @Nullable LockException failure) implements Action {}

    /** Tell a holder what became of its extension: null for done. */
    record AnswerExtension(Extension extension, @Nullable LockException failure) implements Action {}

    /** Note that a lease is left to the store, whose holder has not ended it, and how long it may last there. */
    record Abandon(Hold hold, long nanosInStore) implements Action {}

    /** Say that a thread waits for a lock that it was given itself. */
    record WaitsForItself(Hold hold) implements Action {}

    /** Say that a hold is not renewed any more, and why. */
    record Unrenewed(Hold hold, String why) implements Action {}
}
