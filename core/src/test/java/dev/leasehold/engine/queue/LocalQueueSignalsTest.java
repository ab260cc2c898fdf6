package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Signals may be lost, late, or come twice: they only save time. */
class LocalQueueSignalsTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void aPushedGrantServesAtOnceAndIsConfirmedByARenewal() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        Hold hold = bench.given(caller);
        assertThat(hold.remaining(bench.now())).isLessThan(Duration.ofSeconds(5));
        bench.none(Action.SendRenew.class);
        bench.pass(Duration.ofMillis(20));
        bench.renewed(bench.renewal().lease(), LEASE);
        assertThat(hold.remaining(bench.now())).isGreaterThan(Duration.ofSeconds(29));
        bench.none(Action.SendClaim.class);
    }

    @Test
    void aPushedGrantIsRenewedBeforeItIsGivenToOneWhoWillNotRenew() {
        Caller caller = bench.joins(UNRENEWED);
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.pushes(bench.newLease(claim), 0, Duration.ofSeconds(5));
        bench.none(Action.Give.class);
        bench.renewed(bench.all(Action.SendRenew.class).get(0).lease(), LEASE);
        assertThat(bench.given(caller).remaining(bench.now())).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    void aPushedGrantThatRunsOutBeforeItIsRenewedIsGivenUpForANewClaim() {
        Caller caller = bench.joins(UNRENEWED);
        Claim claim = bench.claim();
        bench.busy(claim);
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        bench.pass(Duration.ofSeconds(5));
        assertThat(bench.release()).isEqualTo(lease);
        Claim next = bench.claim();
        assertThat(next.id()).isNotEqualTo(claim.id());
        bench.grants(next);
        bench.given(caller);
    }

    @Test
    void whoReleasesAPushedGrantAtOnceSendsNoRenewal() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        bench.pass(Duration.ofMillis(19));
        bench.ends(bench.given(caller));
        assertThat(bench.release()).isEqualTo(lease);
        bench.none(Action.SendRenew.class);
    }

    @Test
    void aBusyAnswerThatThePushHasOvertakenDoesNotMakeTheReleaseLookTooLate() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        bench.ends(bench.given(caller));
        assertThat(bench.release()).isEqualTo(lease);
        bench.busy(claim);
        bench.none(Action.SendWithdraw.class);
        bench.released(lease);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
    }

    @Test
    void aPushWithoutAValidityIsOnlyAReasonToAsk() {
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.pushes(bench.newLease(claim), 0, null);
        bench.none(Action.Give.class);
        assertThat(bench.claim()).isEqualTo(claim.at(1));
    }

    @Test
    void aPushWhileTheQuestionIsUnderWayHasItAskedOnceMore() {
        bench.joins();
        Claim claim = bench.claim();
        bench.pushes(bench.newLease(claim), 0, null);
        bench.none(Action.SendClaim.class);
        bench.busy(claim);
        assertThat(bench.claim()).isEqualTo(claim.at(1));
    }

    @Test
    void aPushThatIsOverIsOnlyAReasonToAsk() {
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.pushes(bench.newLease(claim), 0, Duration.ZERO);
        bench.none(Action.Give.class);
        bench.none(Action.SendRelease.class);
        assertThat(bench.claim()).as("it keeps its place").isEqualTo(claim.at(1));
    }

    @Test
    void aPushThatComesTwiceServesOnce() {
        Caller caller = bench.joins();
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 1, Duration.ofSeconds(5));
        bench.pushes(lease, 1, Duration.ofSeconds(5));
        bench.given(caller);
        bench.none(Action.SendRelease.class);
    }

    @Test
    void aPushAfterTheReleaseIsReleased() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        LeaseId lease = bench.newLease(claim);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        bench.ends(bench.given(caller));
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        assertThat(bench.release()).as("only the one that is under way").isEqualTo(lease);
        bench.released(lease);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        bench.none(Action.Give.class);
        assertThat(bench.release()).isEqualTo(lease);
    }

    @Test
    void aPushToNobodyIsReleased() {
        LeaseId lease = new LeaseId("lock", new ClaimId("client", 99), 5);
        bench.pushes(lease, 0, Duration.ofSeconds(5));
        assertThat(bench.release()).isEqualTo(lease);
        bench.released(lease);
        bench.isIdle();
    }

    @Test
    void aPushOfAnotherTokenWhileTheLeaseIsHeldIsReleasedAndTheLeaseStays() {
        Hold hold = bench.held();
        LeaseId other = new LeaseId("lock", new ClaimId("client", 1), 7);
        bench.pushes(other, 0, Duration.ofSeconds(5));
        assertThat(bench.release()).isEqualTo(other);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void doubtConfirmsWhatIsHeldAtOnce() {
        Hold hold = bench.held();
        bench.send(new Event.DoubtSignal());
        bench.storeSaysLost(bench.renewal().lease());
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void doubtAsksForWhatIsWaitedForAtOnce() {
        bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.send(new Event.DoubtSignal());
        assertThat(bench.claim()).isEqualTo(claim.at(1));
    }
}
