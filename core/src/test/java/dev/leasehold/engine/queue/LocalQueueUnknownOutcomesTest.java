package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Requests whose outcome is not known, and what has to leave the store. */
class LocalQueueUnknownOutcomesTest {

    private static final Duration HORIZON = Duration.ofSeconds(3);

    private final LocalQueueHarness bench = new LocalQueueHarness(HORIZON);

    @Test
    void aClaimWithAnUnknownOutcomeIsRepeatedUnderItsId() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        assertThat(claim.place()).isEqualTo(Claim.NEW);
        bench.claimFails(claim, Outcome.UNKNOWN);
        bench.none(Action.Give.class);
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.claim()).as("it may stand in the queue").isEqualTo(claim.at(Claim.UNKNOWN));
        bench.grants(claim);
        bench.given(caller);
    }

    @Test
    void aClaimThatMayHaveBeenGrantedAndRunOutIsFinished() {
        bench.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(3)));
        Claim claim = bench.claim();
        bench.busy(claim);
        for (Claim asked = claim; asked.id().equals(claim.id()); asked = next(asked)) {
            bench.claimFails(asked, Outcome.UNKNOWN);
        }
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
    }

    private Claim next(Claim asked) {
        for (int i = 0; i < 600; i++) {
            bench.pass(Duration.ofMillis(100));
            var sent = bench.all(Action.SendClaim.class);
            if (!sent.isEmpty()) {
                return sent.get(0).claim();
            }
        }
        throw new AssertionError("never asked again after " + asked);
    }

    @Test
    void whoLeavesAfterAnUnknownOutcomeHasTheClaimWithdrawnAndOnceMoreWhenNothingCanBeOnItsWay() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.claimFails(claim, Outcome.UNKNOWN);
        bench.leaves(caller);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
        bench.withdrawn(claim.id());
        bench.pass(HORIZON.minusMillis(1));
        bench.none(Action.SendWithdraw.class);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
        bench.withdrawn(claim.id());
        bench.isIdle();
    }

    @Test
    void aClaimThatWasCertainlyNotCarriedOutLeavesNothingToWithdraw() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.claimFails(claim, Outcome.NOT_ACQUIRED);
        bench.leaves(caller);
        bench.none(Action.SendWithdraw.class);
        bench.isIdle();
    }

    @Test
    void aTryThatFailedOnceAndWasThenBusyIsWithdrawn() {
        Caller caller = bench.tries();
        Claim claim = bench.claim();
        bench.claimFails(claim, Outcome.UNKNOWN);
        bench.pass(Duration.ofSeconds(1));
        bench.claim();
        bench.busy(claim);
        bench.refused(caller);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
    }

    @Test
    void aTryThatWasBusyLeavesNothing() {
        Caller caller = bench.tries();
        Claim claim = bench.claim();
        assertThat(claim.enqueue()).isFalse();
        bench.busy(claim);
        bench.refused(caller);
        bench.isIdle();
    }

    @Test
    void aWaiterThatLeavesTheQueueWithdraws() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.leaves(caller);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
        bench.withdrawn(claim.id());
        bench.isIdle();
    }

    @Test
    void aCallerThatLeavesWhileItsClaimIsUnderWayHasItWithdrawnAfterTheAnswer() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.leaves(caller);
        bench.none(Action.SendWithdraw.class);
        bench.busy(claim);
        bench.withdrawal();
    }

    @Test
    void aWithdrawalIsRepeatedUntilItIsAnswered() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.leaves(caller);
        for (int i = 0; i < 5; i++) {
            bench.withdrawal();
            bench.withdrawalFails(claim.id());
            bench.none(Action.SendWithdraw.class);
            bench.pass(Duration.ofMillis(1_700));
        }
        bench.withdrawal();
        bench.withdrawn(claim.id());
        bench.isIdle();
    }

    @Test
    void aReleaseIsRepeatedWhileTheExtendedLeaseMayBeThere() {
        Hold hold = bench.held();
        bench.extend(hold, Duration.ofHours(1));
        bench.renewed(bench.renewal().lease(), Duration.ofHours(1));
        bench.ends(hold);
        failReleasesFor(Duration.ofMinutes(50));
        assertThat(bench.queue.isIdle()).isFalse();
        failReleasesFor(Duration.ofMinutes(20));
        bench.forget();
        bench.isIdle();
    }

    @Test
    void anExtensionWhoseAnswerWasLostCountsForTheReleaseToo() {
        Hold hold = bench.held();
        bench.extend(hold, Duration.ofHours(1));
        bench.ends(hold);
        failReleasesFor(Duration.ofMinutes(50));
        assertThat(bench.queue.isIdle()).isFalse();
    }

    @Test
    void aGrantThatCameTooLateIsReleasedForAsLongAsItMayBeThere() {
        Caller caller = bench.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        Claim claim = bench.claim();
        bench.leaves(caller);
        bench.busy(claim);
        bench.withdrawn(bench.withdrawal());
        bench.pushes(bench.newLease(claim), 0, null);
        failReleasesFor(Duration.ofMinutes(9));
        assertThat(bench.queue.isIdle()).isFalse();
        failReleasesFor(Duration.ofMinutes(2));
        bench.forget();
        bench.isIdle();
    }

    private void failReleasesFor(Duration duration) {
        for (Duration passed = Duration.ZERO; passed.compareTo(duration) < 0; passed = passed.plusSeconds(2)) {
            bench.all(Action.SendRelease.class).forEach(release -> bench.releaseFails(release.lease()));
            bench.pass(Duration.ofSeconds(2));
        }
    }

    @Test
    void theSecondWithdrawalIsGivenUpInTheEnd() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.claimFails(claim, Outcome.UNKNOWN);
        bench.leaves(caller);
        bench.withdrawal();
        bench.withdrawn(claim.id());
        for (int i = 0; i < 120; i++) {
            bench.pass(Duration.ofSeconds(1));
            bench.all(Action.SendWithdraw.class).forEach(withdraw -> bench.withdrawalFails(withdraw.claim()));
        }
        bench.isIdle();
    }

    @Test
    void aReleaseThatWasNotHeldAtItsFirstAnswerIsALoss() {
        Hold hold = bench.held();
        bench.ends(hold);
        bench.wasNotHeld(bench.release());
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aRepeatedReleaseThatWasNotHeldCountsAsReleased() {
        Hold hold = bench.held();
        bench.ends(hold);
        bench.releaseFails(bench.release());
        bench.pass(Duration.ofSeconds(1));
        bench.wasNotHeld(bench.release());
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
    }

    @Test
    void afterAFailedReleaseTheProcessCanAcquireAgain() {
        Hold hold = bench.held();
        Caller next = bench.joins();
        bench.ends(hold);
        LeaseId lease = bench.release();
        bench.none(Action.SendClaim.class);
        bench.releaseFails(lease);
        bench.grants(bench.claim());
        bench.given(next);
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.release()).isEqualTo(lease);
    }

    @Test
    void aHolderIsToldWhenTheStoreDoesNotAnswerItsReleaseInTime() {
        Hold hold = bench.held();
        bench.ends(hold);
        LeaseId lease = bench.release();
        bench.pass(LocalQueueHarness.PATIENCE);
        Action.Settle settle = bench.one(Action.Settle.class);
        assertThat(settle.failure()).isInstanceOf(StoreUnavailableException.class);
        bench.releaseFails(lease);
        assertThat(bench.queue.isIdle()).as("the release goes on").isFalse();
        bench.pass(Duration.ofSeconds(1));
        bench.none(Action.Settle.class);
    }

    @Test
    void aReleaseWithoutAnyAnswerIsGivenUpWhenItsLeaseHasRunOut() {
        Hold hold = bench.held();
        bench.ends(hold);
        bench.release();
        bench.pass(Duration.ofSeconds(35));
        assertThat(bench.queue.isIdle()).isFalse();
        bench.pass(Duration.ofSeconds(30));
        bench.isIdle();
    }

    @Test
    void aWaiterWhosePlaceWasConfirmedTooLongAgoIsFinishedHoweverLateTheAnswer() {
        bench.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(3)));
        Claim claim = bench.claim();
        bench.stopFor(Duration.ofMillis(2_600));
        bench.busy(claim);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
        assertThat(bench.claim().id()).isNotEqualTo(claim.id());
    }

    @Test
    void aLossWithRequestsOnTheirWayIsSweptToo() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.claimFails(claim, Outcome.UNKNOWN);
        bench.pass(Duration.ofSeconds(1));
        bench.claim();
        LeaseId lease = bench.grants(claim);
        bench.given(caller);
        bench.storeSaysLost(lease);
        bench.wasNotHeld(bench.release());
        bench.pass(HORIZON);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
    }

    // ---- answers that nobody waits for any more ----

    @Test
    void aLateGrantOfAFinishedClaimIsReleased() {
        Claim old = pushedThenReleased();
        LeaseId again = bench.grants(old);
        assertThat(bench.release()).isEqualTo(again);
    }

    @Test
    void aLatePlaceInTheQueueOfAFinishedClaimIsWithdrawn() {
        Claim old = pushedThenReleased();
        bench.busy(old, Duration.ofSeconds(5), 1);
        assertThat(bench.withdrawal()).isEqualTo(old.id());
    }

    @Test
    void aLateFailureOfAFinishedClaimIsWithdrawn() {
        Claim old = pushedThenReleased();
        bench.claimFails(old, Outcome.UNKNOWN);
        assertThat(bench.withdrawal()).isEqualTo(old.id());
    }

    @Test
    void aLateAnswerAboutTheLeaseAtHandDoesNotEndIt() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        Hold hold = bench.given(caller);
        bench.forget();
        bench.busy(claim, Duration.ofSeconds(5), 1);
        bench.claimFails(claim, Outcome.UNKNOWN);
        bench.none(Action.SendWithdraw.class);
        bench.none(Action.SendRelease.class);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    /** A claim that was granted by a signal and released while a request of it was still under way. */
    private Claim pushedThenReleased() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.pushes(bench.newLease(claim), 0, Duration.ofSeconds(5));
        bench.ends(bench.given(caller));
        bench.released(bench.release());
        bench.forget();
        return claim;
    }

    @Test
    void aSecondAnswerConfirmsTheLeaseThatIsThere() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        Hold hold = bench.given(caller);
        ClockReading sentAt = bench.now();
        bench.answers(claim, new ClaimAnswer.Granted(lease, 0, dev.leasehold.spi.Validity.of(sentAt, LEASE)));
        assertThat(hold.remaining(bench.now())).isGreaterThan(Duration.ofSeconds(29));
        bench.none(Action.SendRelease.class);
    }

    // ---- failures that another try would not change ----

    @Test
    void aRefusalOfTheStoreFailsAllCallersAtOnce() {
        Caller one = bench.joins();
        Caller two = bench.joins();
        Claim claim = bench.claim();
        bench.send(new Event.ClaimFailed(claim.id(), new LockException("no database")));
        assertThat(bench.all(Action.Fail.class)).extracting(Action.Fail::caller).containsExactly(one, two);
        bench.isIdle();
    }

    @Test
    void aRefusedReleaseIsToldAndNotRepeated() {
        Hold hold = bench.held();
        bench.ends(hold);
        LeaseId lease = bench.release();
        bench.send(new Event.UndoFailed(lease.claim(), lease, new LockException("read-only")));
        assertThat(bench.one(Action.Settle.class).failure()).hasMessage("read-only");
        bench.isIdle();
    }
}
