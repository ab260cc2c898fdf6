package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Signals may be lost, late, or come twice: they only save time. */
class LocalQueueSignalsTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void aPushedGrantServesAtOnceAndIsConfirmedByARenewal() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        Hold hold = harness.given(caller);
        // Bound: the time is virtual.
        assertThat(hold.remaining(harness.now())).isLessThan(Duration.ofSeconds(5));
        harness.none(Action.SendRenew.class);
        harness.pass(Duration.ofMillis(20));
        harness.renewed(harness.renewal().lease(), LEASE);
        assertThat(hold.remaining(harness.now())).isGreaterThan(Duration.ofSeconds(29));
        harness.none(Action.SendClaim.class);
    }

    @Test
    @DisplayName("A pushed grant is renewed before a caller gets it that will not renew")
    void aPushedGrantIsRenewedForAnUnrenewedHold() {
        Caller caller = harness.joins(UNRENEWED);
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.pushes(harness.newLease(claim), 0, Duration.ofSeconds(5));
        harness.none(Action.Give.class);
        harness.renewed(harness.all(Action.SendRenew.class).get(0).lease(), LEASE);
        assertThat(harness.given(caller).remaining(harness.now())).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    @DisplayName("A pushed grant that runs out before it is renewed is given up for a new claim")
    void aPushedGrantThatRunsOutIsGivenUpForANewClaim() {
        Caller caller = harness.joins(UNRENEWED);
        Claim claim = harness.claim();
        harness.busy(claim);
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        harness.pass(Duration.ofSeconds(5));
        assertThat(harness.release()).isEqualTo(lease);
        Claim next = harness.claim();
        assertThat(next.id()).isNotEqualTo(claim.id());
        harness.grants(next);
        harness.given(caller);
    }

    @Test
    void whoReleasesAPushedGrantAtOnceSendsNoRenewal() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        harness.pass(Duration.ofMillis(19));
        harness.ends(harness.given(caller));
        assertThat(harness.release()).isEqualTo(lease);
        harness.none(Action.SendRenew.class);
    }

    private LeaseId pushedAndReleasedBeforeTheBusyAnswer(Caller caller, Claim claim) {
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        harness.ends(harness.given(caller));
        assertThat(harness.release()).isEqualTo(lease);
        harness.busy(claim);
        harness.none(Action.SendWithdraw.class);
        return lease;
    }

    @Test
    @DisplayName("A busy answer that the push has overtaken does not make the release look too late")
    void anOvertakenBusyAnswerDoesNotSpoilTheRelease() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        LeaseId lease = pushedAndReleasedBeforeTheBusyAnswer(caller, claim);
        harness.released(lease);
        harness.none(Action.SendWithdraw.class);
        harness.isIdle();
    }

    /** Its lease had run out, so the one question may have put the claim into the queue once more, or got it another lease. */
    @Test
    @DisplayName("A claim whose lease had run out is withdrawn after its release")
    void anExpiredLeasesClaimIsWithdrawnAfterItsRelease() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        LeaseId lease = pushedAndReleasedBeforeTheBusyAnswer(caller, claim);
        harness.wasNotHeld(lease);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
    }

    /** The second question may come to the store after the release, and put the claim into its queue once more. */
    @Test
    void aClaimThatWasAskedTwiceIsWithdrawnAfterItsRelease() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.pushes(harness.newLease(claim), 0, null);
        harness.claim();
        LeaseId lease = pushedAndReleasedBeforeTheBusyAnswer(caller, claim);
        harness.released(lease);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
    }

    @Test
    void aPushWithoutAValidityIsOnlyAReasonToAsk() {
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.pushes(harness.newLease(claim), 0, null);
        harness.none(Action.Give.class);
        assertThat(harness.claim()).isEqualTo(claim.at(1));
    }

    @Test
    void aPushWhileTheQuestionIsUnderWayHasItAskedOnceMore() {
        harness.joins();
        Claim claim = harness.claim();
        harness.pushes(harness.newLease(claim), 0, null);
        harness.none(Action.SendClaim.class);
        harness.busy(claim);
        assertThat(harness.claim()).isEqualTo(claim.at(1));
    }

    @Test
    void aPushThatIsOverIsOnlyAReasonToAsk() {
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.pushes(harness.newLease(claim), 0, Duration.ZERO);
        harness.none(Action.Give.class);
        harness.none(Action.SendRelease.class);
        assertThat(harness.claim()).as("it keeps its place").isEqualTo(claim.at(1));
    }

    @Test
    void aPushThatComesTwiceServesOnce() {
        Caller caller = harness.joins();
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 1, Duration.ofSeconds(5));
        harness.pushes(lease, 1, Duration.ofSeconds(5));
        harness.given(caller);
        harness.none(Action.SendRelease.class);
    }

    @Test
    void aPushAfterTheReleaseIsReleased() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        LeaseId lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        harness.ends(harness.given(caller));
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        assertThat(harness.release()).as("only the one that is under way").isEqualTo(lease);
        harness.released(lease);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        harness.none(Action.Give.class);
        assertThat(harness.release()).isEqualTo(lease);
    }

    @Test
    void aPushToNobodyIsReleased() {
        LeaseId lease = new LeaseId("lock", new ClaimId("client", 99), 5);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        assertThat(harness.release()).isEqualTo(lease);
        harness.released(lease);
        harness.isIdle();
    }

    @Test
    @DisplayName("A push of another token while the lease is held is released, and the lease stays")
    void aPushOfAnotherTokenIsReleased() {
        Hold hold = harness.held();
        LeaseId other = new LeaseId("lock", new ClaimId("client", 1), 7);
        harness.pushes(other, 0, Duration.ofSeconds(5));
        assertThat(harness.release()).isEqualTo(other);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void doubtConfirmsWhatIsHeldAtOnce() {
        Hold hold = harness.held();
        harness.send(new Event.DoubtSignal(false));
        harness.storeSaysLost(harness.renewal().lease());
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void doubtAsksForWhatIsWaitedForAtOnce() {
        harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.send(new Event.DoubtSignal(false));
        assertThat(harness.claim()).isEqualTo(claim.at(1));
    }
}
