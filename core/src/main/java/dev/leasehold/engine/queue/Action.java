package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An action is what a local queue asks its {@code QueueRunner} to perform. */
public sealed interface Action {

    /** Send a claim. */
    record SendClaim(Claim claim) implements Action {}

    /** Send a renewal, on behalf of a hold where there is one. */
    record SendRenew(
            LeaseId lease, Duration duration, @Nullable Hold hold) implements Action {}

    /** Send a renewal that makes a reader of a writer, on behalf of a hold where there is one. */
    record SendDowngrade(
            LeaseId lease, Duration duration, @Nullable Hold hold) implements Action {}

    /** Send a release. */
    record SendRelease(LeaseId lease, Duration keepFor) implements Action {}

    /** Send a withdrawal. */
    record SendWithdraw(ClaimId claim) implements Action {}

    /** Give a hold to a caller; the lease had another hold of this process before if it is handed over. */
    record Give(Caller caller, Hold hold, boolean handedOver) implements Action {}

    /** Tell a caller that the lock is busy. */
    record Refuse(Caller caller) implements Action {}

    /** Tell a caller that its call has failed. */
    record Fail(Caller caller, RuntimeException failure) implements Action {}

    /** Tell the listeners of a hold its new state. */
    record Announce(Hold hold, LeaseState state) implements Action {}

    /** Tell the listeners of a hold that somebody waits for its lock. */
    record Await(Hold hold) implements Action {}

    /** Tell a hold its final state; with a failure if the store has not answered its release. */
    record Settle(Hold hold, LeaseState state, @Nullable LockException failure) implements Action {}

    /** Answer a holder's extension: null means that it was confirmed. */
    record AnswerExtension(Extension extension, @Nullable LockException failure) implements Action {}

    /** Log that a lease is left in the store because its holder has not ended it, and note how long it may last there. */
    record Abandon(Hold hold, long nanosInStore) implements Action {}

    /** Log that a thread waits for a lock that the thread itself was given. */
    record WaitsForItself(Hold hold) implements Action {}

    /** Log that callers without a limit have waited for long. */
    record WaitsLong(Duration waited, int callers) implements Action {}

    /** Ask all queues of the lock's name whether this caller's thread holds it there, and so waits for itself. */
    record AskQueues(Caller caller) implements Action {}

    /** Log that a hold is not renewed any more, and why. */
    record Unrenewed(Hold hold, String why) implements Action {}
}
