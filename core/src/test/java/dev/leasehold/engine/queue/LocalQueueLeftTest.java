package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A lease that was left in the store, since work may go on under it, is touched by nothing before its end: late answers to its own
 * claim change nothing. Here a waiter's repeated question is under way when the lock is handed over to it.
 */
class LocalQueueLeftTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();
    private Claim claim;
    private LeaseId lease;
    private Hold hold;

    @BeforeEach
    void isGrantedWhileAskingAgain() {
        Caller caller = harness.joins();
        harness.busy(harness.claim());
        harness.passToNextDue();
        claim = harness.claim();
        lease = harness.newLease(claim);
        harness.pushes(lease, 0, Duration.ofSeconds(5));
        hold = harness.given(caller);
        harness.renewed(lease, LEASE);
    }

    private void isLeftByAClosedClient() {
        harness.close();
        harness.abandon();
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        harness.isIdle();
        harness.beginAnew();
    }

    private void changesNothing() {
        harness.none(Action.SendRelease.class);
        harness.none(Action.SendWithdraw.class);
        harness.isIdle();
    }

    private void answersGranted(LeaseId granted) {
        harness.answers(claim, new ClaimAnswer.Granted(granted, 0, Validity.of(harness.now(), LEASE)));
    }

    @Test
    void aLateGrantDoesNotEndIt() {
        isLeftByAClosedClient();
        answersGranted(lease);
        changesNothing();
    }

    @Test
    void aLateAnswerFromTheQueueDoesNotEndIt() {
        isLeftByAClosedClient();
        harness.busy(claim);
        changesNothing();
    }

    @Test
    void aQuestionWithoutAnAnswerDoesNotEndIt() {
        isLeftByAClosedClient();
        harness.claimFails(claim, Outcome.UNKNOWN);
        changesNothing();
    }

    @Test
    void aPushThatComesTwiceDoesNotEndIt() {
        isLeftByAClosedClient();
        harness.pushes(lease, 0, null);
        changesNothing();
    }

    @Test
    void norWhenItWasInDoubtForTooLong() {
        harness.suspend(Duration.ofSeconds(10));
        harness.look();
        harness.pass(Duration.ofSeconds(6));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        harness.forget();
        harness.busy(claim);
        changesNothing();
        harness.beginAnew();
        answersGranted(lease);
        changesNothing();
    }

    @Test
    void norAfterAFault() {
        harness.queue.discard(null, new OutOfMemoryError("simulated"), harness.now());
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        harness.beginAnew();
        harness.busy(claim);
        answersGranted(lease);
        changesNothing();
    }

    @Test
    void anotherLeaseOfItsClaimIsGivenBack() {
        isLeftByAClosedClient();
        LeaseId later = harness.newLease(claim);
        answersGranted(later);
        assertThat(harness.release()).isEqualTo(later);
    }

    @Test
    void afterItsEndNothingIsLeft() {
        isLeftByAClosedClient();
        harness.pass(LEASE.plusSeconds(30));
        harness.busy(claim);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
    }

    @Test
    void afterItsEndItIsForgotten() {
        isLeftByAClosedClient();
        assertThat(harness.left.areAny(harness.now().nanos())).isTrue();
        harness.pass(LEASE.plusSeconds(30));
        assertThat(harness.left.areAny(harness.now().nanos())).isFalse();
    }
}
