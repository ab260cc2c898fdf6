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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about requests whose outcome is not known, and what has to leave the store. */
class LocalQueueUnknownOutcomesTest {

    private static final Duration HORIZON = Duration.ofSeconds(3);

    private final LocalQueueHarness harness = new LocalQueueHarness(HORIZON);

    @Test
    void aClaimWithAnUnknownOutcomeIsRepeatedUnderItsId() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        assertThat(claim.place()).isEqualTo(Claim.NEW);
        harness.claimFails(claim, Outcome.UNKNOWN);
        harness.none(Action.Give.class);
        harness.pass(Duration.ofSeconds(1));
        assertThat(harness.claim()).as("it may stand in the queue").isEqualTo(claim.at(Claim.UNKNOWN));
        harness.grants(claim);
        harness.given(caller);
    }

    @Test
    void aClaimThatMayHaveBeenGrantedAndRunOutIsFinished() {
        harness.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(3)));
        Claim claim = harness.claim();
        harness.busy(claim);
        for (Claim asked = claim; asked.id().equals(claim.id()); asked = next(asked)) {
            harness.claimFails(asked, Outcome.UNKNOWN);
        }
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
    }

    private Claim next(Claim asked) {
        for (int i = 0; i < 600; i++) {
            harness.pass(Duration.ofMillis(100));
            var sent = harness.all(Action.SendClaim.class);
            if (!sent.isEmpty()) {
                return sent.get(0).claim();
            }
        }
        throw new AssertionError("never asked again after " + asked);
    }

    @Test
    @DisplayName(
            "A caller that leaves after an unknown outcome has its claim withdrawn, and once more when nothing can be on its way")
    void aLeaverWithAnUnknownOutcomeIsWithdrawnTwice() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.claimFails(claim, Outcome.UNKNOWN);
        harness.leaves(caller);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
        harness.withdrawn(claim.id());
        harness.pass(HORIZON.minusMillis(1));
        harness.none(Action.SendWithdraw.class);
        harness.pass(Duration.ofMillis(1));
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
        harness.withdrawn(claim.id());
        harness.isIdle();
    }

    @Test
    @DisplayName("A claim that was certainly not carried out leaves nothing to withdraw")
    void aClaimNotCarriedOutLeavesNothingToWithdraw() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.claimFails(claim, Outcome.NOT_CARRIED_OUT);
        harness.leaves(caller);
        harness.none(Action.SendWithdraw.class);
        harness.isIdle();
    }

    @Test
    void aTryThatFailedOnceAndWasThenBusyIsWithdrawn() {
        Caller caller = harness.tries();
        Claim claim = harness.claim();
        harness.claimFails(claim, Outcome.UNKNOWN);
        harness.pass(Duration.ofSeconds(1));
        harness.claim();
        harness.busy(claim);
        harness.refused(caller);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
    }

    @Test
    void aTryThatWasBusyLeavesNothing() {
        Caller caller = harness.tries();
        Claim claim = harness.claim();
        assertThat(claim.enqueue()).isFalse();
        harness.busy(claim);
        harness.refused(caller);
        harness.isIdle();
    }

    @Test
    void aWaiterThatLeavesTheQueueWithdraws() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.leaves(caller);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
        harness.withdrawn(claim.id());
        harness.isIdle();
    }

    @Test
    @DisplayName("A caller that leaves while its claim is under way has it withdrawn after the answer")
    void aLeaversClaimIsWithdrawnAfterTheAnswer() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.leaves(caller);
        harness.none(Action.SendWithdraw.class);
        harness.busy(claim);
        harness.withdrawal();
    }

    @Test
    void aWithdrawalIsRepeatedUntilItIsAnswered() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.leaves(caller);
        for (int i = 0; i < 5; i++) {
            harness.withdrawal();
            harness.withdrawalFails(claim.id());
            harness.none(Action.SendWithdraw.class);
            harness.pass(Duration.ofMillis(1_700));
        }
        harness.withdrawal();
        harness.withdrawn(claim.id());
        harness.isIdle();
    }

    @Test
    void aReleaseIsRepeatedWhileTheExtendedLeaseMayBeThere() {
        Hold hold = harness.held();
        harness.extend(hold, Duration.ofHours(1));
        harness.renewed(harness.renewal().lease(), Duration.ofHours(1));
        harness.ends(hold);
        failReleasesFor(Duration.ofMinutes(50));
        assertThat(harness.queue.isIdle()).isFalse();
        failReleasesFor(Duration.ofMinutes(20));
        harness.forget();
        harness.isIdle();
    }

    @Test
    @DisplayName("An extension whose answer was lost counts for the release too")
    void anUnansweredExtensionCountsForTheRelease() {
        Hold hold = harness.held();
        harness.extend(hold, Duration.ofHours(1));
        harness.ends(hold);
        failReleasesFor(Duration.ofMinutes(50));
        assertThat(harness.queue.isIdle()).isFalse();
    }

    @Test
    @DisplayName("A grant that came too late is released for as long as it may be there")
    void aLateGrantIsReleasedWhileItMayBeThere() {
        Caller caller = harness.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        Claim claim = harness.claim();
        harness.leaves(caller);
        harness.busy(claim);
        harness.withdrawn(harness.withdrawal());
        harness.pushes(harness.newLease(claim), 0, null);
        failReleasesFor(Duration.ofMinutes(9));
        assertThat(harness.queue.isIdle()).isFalse();
        failReleasesFor(Duration.ofMinutes(2));
        harness.forget();
        harness.isIdle();
    }

    private void failReleasesFor(Duration duration) {
        for (Duration passed = Duration.ZERO; passed.compareTo(duration) < 0; passed = passed.plusSeconds(2)) {
            harness.all(Action.SendRelease.class).forEach(release -> harness.releaseFails(release.lease()));
            harness.pass(Duration.ofSeconds(2));
        }
    }

    @Test
    void theSecondWithdrawalIsGivenUpInTheEnd() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.claimFails(claim, Outcome.UNKNOWN);
        harness.leaves(caller);
        harness.withdrawal();
        harness.withdrawn(claim.id());
        for (int i = 0; i < 120; i++) {
            harness.pass(Duration.ofSeconds(1));
            harness.all(Action.SendWithdraw.class).forEach(withdraw -> harness.withdrawalFails(withdraw.claim()));
        }
        harness.isIdle();
    }

    @Test
    void aReleaseThatWasNotHeldAtItsFirstAnswerIsALoss() {
        Hold hold = harness.held();
        harness.ends(hold);
        harness.wasNotHeld(harness.release());
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aRepeatedReleaseThatWasNotHeldCountsAsReleased() {
        Hold hold = harness.held();
        harness.ends(hold);
        harness.releaseFails(harness.release());
        harness.pass(Duration.ofSeconds(1));
        harness.wasNotHeld(harness.release());
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
    }

    @Test
    void afterAFailedReleaseTheProcessCanAcquireAgain() {
        Hold hold = harness.held();
        Caller next = harness.joins();
        harness.ends(hold);
        LeaseId lease = harness.release();
        harness.none(Action.SendClaim.class);
        harness.releaseFails(lease);
        harness.grants(harness.claim());
        harness.given(next);
        harness.pass(Duration.ofSeconds(1));
        assertThat(harness.release()).isEqualTo(lease);
    }

    @Test
    @DisplayName("A holder hears when the store does not answer its release in time")
    void aHolderIsToldOfAnUnansweredRelease() {
        Hold hold = harness.held();
        harness.ends(hold);
        LeaseId lease = harness.release();
        harness.pass(LocalQueueHarness.STORE_TIMEOUT);
        Action.Settle settle = harness.one(Action.Settle.class);
        assertThat(settle.failure()).isInstanceOf(StoreUnavailableException.class);
        harness.releaseFails(lease);
        assertThat(harness.queue.isIdle()).as("the release goes on").isFalse();
        harness.pass(Duration.ofSeconds(1));
        harness.none(Action.Settle.class);
    }

    @Test
    @DisplayName("A release without any answer is given up when its lease has run out")
    void anUnansweredReleaseIsGivenUpAfterItsLease() {
        Hold hold = harness.held();
        harness.ends(hold);
        harness.release();
        harness.pass(Duration.ofSeconds(35));
        assertThat(harness.queue.isIdle()).isFalse();
        harness.pass(Duration.ofSeconds(30));
        harness.isIdle();
    }

    @Test
    @DisplayName("A waiter whose place was confirmed too long ago is finished, however late the answer")
    void aWaiterConfirmedTooLongAgoIsFinished() {
        harness.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(3)));
        Claim claim = harness.claim();
        harness.stopFor(Duration.ofMillis(2_600));
        harness.busy(claim);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
        assertThat(harness.claim().id()).isNotEqualTo(claim.id());
    }

    @Test
    void aLossWithRequestsOnTheirWayIsSweptToo() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.claimFails(claim, Outcome.UNKNOWN);
        harness.pass(Duration.ofSeconds(1));
        harness.claim();
        LeaseId lease = harness.grants(claim);
        harness.given(caller);
        harness.storeSaysLost(lease);
        harness.wasNotHeld(harness.release());
        harness.pass(HORIZON);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
    }

    // ---- answers that nobody waits for any more ----

    @Test
    void aLateGrantOfAFinishedClaimIsReleased() {
        Claim old = pushedThenReleased();
        LeaseId again = harness.grants(old);
        assertThat(harness.release()).isEqualTo(again);
    }

    @Test
    void aLatePlaceInTheQueueOfAFinishedClaimIsWithdrawn() {
        Claim old = pushedThenReleased();
        harness.busy(old, Duration.ofSeconds(5), 1);
        assertThat(harness.withdrawal()).isEqualTo(old.id());
    }

    @Test
    void aLateFailureOfAFinishedClaimIsWithdrawn() {
        Claim old = pushedThenReleased();
        harness.claimFails(old, Outcome.UNKNOWN);
        assertThat(harness.withdrawal()).isEqualTo(old.id());
    }

    @Test
    void aLateAnswerAboutTheLeaseAtHandDoesNotEndIt() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        Hold hold = harness.given(caller);
        harness.forget();
        harness.busy(claim, Duration.ofSeconds(5), 1);
        harness.claimFails(claim, Outcome.UNKNOWN);
        harness.none(Action.SendWithdraw.class);
        harness.none(Action.SendRelease.class);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    /** A claim that was granted by a signal and released while a request of it was still under way. */
    private Claim pushedThenReleased() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.pushes(harness.newLease(claim), 0, Duration.ofSeconds(5));
        harness.ends(harness.given(caller));
        harness.released(harness.release());
        harness.forget();
        return claim;
    }

    @Test
    void aSecondAnswerConfirmsTheLeaseThatIsThere() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        Hold hold = harness.given(caller);
        ClockReading sentAt = harness.now();
        harness.answers(claim, new ClaimAnswer.Granted(lease, 0, dev.leasehold.spi.Validity.of(sentAt, LEASE)));
        assertThat(hold.remaining(harness.now())).isGreaterThan(Duration.ofSeconds(29));
        harness.none(Action.SendRelease.class);
    }

    // ---- failures that another try would not change ----

    @Test
    void aRefusalOfTheStoreFailsAllCallersAtOnce() {
        Caller one = harness.joins();
        Caller two = harness.joins();
        Claim claim = harness.claim();
        harness.send(new Event.ClaimFailed(claim.id(), new LockException("no database")));
        assertThat(harness.all(Action.Fail.class))
                .extracting(Action.Fail::caller)
                .containsExactly(one, two);
        harness.isIdle();
    }

    @Test
    void aRefusedReleaseIsToldAndNotRepeated() {
        Hold hold = harness.held();
        harness.ends(hold);
        LeaseId lease = harness.release();
        harness.send(new Event.CleanupFailed(lease.claim(), lease, new LockException("read-only")));
        assertThat(harness.one(Action.Settle.class).failure()).hasMessage("read-only");
        harness.isIdle();
    }
}
