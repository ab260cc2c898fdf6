package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.HAND_OVERS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about joining, being served, and handing over inside the process. */
class LocalQueueServingTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void oneCallerTakesOneClaimAndOneRelease() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        assertThat(claim.lease()).isEqualTo(LEASE);
        assertThat(claim.enqueue()).isTrue();
        assertThat(claim.spare()).isZero();
        LeaseId lease = harness.grants(claim);
        Hold hold = harness.given(caller);
        assertThat(hold.token()).isEqualTo(lease.token());

        harness.ends(hold);
        assertThat(harness.one(Action.SendRelease.class)).isEqualTo(new Action.SendRelease(lease, Duration.ZERO));
        harness.none(Action.Settle.class);
        harness.released(lease);
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        harness.isIdle();
    }

    @Test
    void manyCallersAreOneClaim() {
        harness.joins();
        harness.joins();
        harness.joins();
        harness.claim();
        harness.none(Action.SendClaim.class);
    }

    @Test
    void aDeadlineCountsFromTheSendingOfTheRequest() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        var sentAt = harness.now();
        harness.stopFor(Duration.ofSeconds(20));
        harness.grants(claim, LEASE, sentAt);
        // Bound: the time is virtual.
        assertThat(harness.given(caller).remaining(harness.now())).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    @DisplayName("A grant that is over when it comes is released and another claim begins")
    void aGrantThatComesTooLateBeginsAnotherClaim() {
        Duration lease = Duration.ofSeconds(3);
        Caller caller = harness.joins(DEFAULTS.withLeaseDuration(lease));
        Claim late = harness.claim();
        var sentAt = harness.now();
        harness.stopFor(lease);
        LeaseId over = harness.grants(late, lease, sentAt);
        harness.none(Action.Give.class);
        assertThat(harness.release()).isEqualTo(over);
        harness.none(Action.SendClaim.class);
        harness.passToNextDue();
        Claim next = harness.claim();
        assertThat(next.id()).isNotEqualTo(late.id());
        harness.grants(next);
        harness.given(caller);
    }

    @Test
    void callersAreServedInOrderWithTheTokensOfTheRun() {
        Hold first = harness.held();
        List<Caller> next = List.of(harness.joins(), harness.joins());
        harness.ends(first);
        LeaseId spent = harness.release();
        harness.released(spent);
        Claim claim = harness.claim();
        assertThat(claim.spare()).isEqualTo(HAND_OVERS);
        LeaseId lease = harness.grants(claim);

        Hold second = harness.given(next.get(0));
        harness.none(Action.Give.class);
        harness.ends(second);
        Hold third = harness.given(next.get(1));
        harness.none(Action.SendRelease.class);
        assertThat(second.token()).isEqualTo(lease.token());
        assertThat(third.token()).isEqualTo(lease.token() + 1);
        assertThat(harness.all(Action.Settle.class)).contains(new Action.Settle(second, LeaseState.RELEASED, null));
    }

    @Test
    void nobodyIsServedWhileAnotherHolds() {
        Hold first = startRun(5);
        harness.look();
        harness.pass(Duration.ofSeconds(1));
        harness.none(Action.Give.class);
        assertThat(first.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void afterSoManyHandOversTheLockGoesBackToTheStore() {
        Hold hold = startRun(10);
        int handOvers = 0;
        while (true) {
            harness.ends(hold);
            List<Action.Give> gives = harness.all(Action.Give.class);
            if (gives.isEmpty()) {
                break;
            }
            handOvers++;
            hold = gives.get(0).hold();
        }
        assertThat(handOvers).isEqualTo(HAND_OVERS);
        LeaseId lease = harness.release();
        harness.none(Action.SendClaim.class);
        harness.released(lease);
        assertThat(harness.claim().id()).isNotEqualTo(lease.claim());
    }

    @Test
    @DisplayName("Also a store that gives more tokens does not make the run longer")
    void moreTokensDoNotMakeTheRunLonger() {
        for (int i = 0; i < 10; i++) {
            harness.joins();
        }
        Claim claim = harness.claim();
        LeaseId lease = harness.newLease(claim);
        harness.answers(claim, new ClaimAnswer.Granted(lease, 60, Validity.of(harness.now(), LEASE)));
        int holds = 0;
        for (var gives = harness.all(Action.Give.class); !gives.isEmpty(); gives = harness.all(Action.Give.class)) {
            holds++;
            harness.ends(gives.get(0).hold());
        }
        assertThat(holds).isEqualTo(1 + HAND_OVERS);
    }

    @Test
    void aLeaseClaimedForAnotherWhoWantedLessIsRenewedFirst() {
        Caller gone = harness.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(10)));
        Caller stays = harness.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        harness.leaves(gone);
        LeaseId lease = harness.grants(harness.claim());
        harness.none(Action.Give.class);
        assertThat(harness.renewal().duration()).isEqualTo(Duration.ofMinutes(10));
        harness.renewed(lease, Duration.ofMinutes(10));
        harness.given(stays);
    }

    @Test
    @DisplayName("An answer to an earlier request does not prepare the lease for the next")
    void anEarlierAnswerDoesNotPrepareTheNextLease() {
        Hold first = startRun(1);
        harness.joins(UNRENEWED);
        harness.ends(first);
        Hold second = harness.one(Action.Give.class).hold();
        harness.forget();
        var before = harness.now();
        harness.stopFor(Duration.ofMillis(1));
        harness.ends(second);
        harness.renewed(harness.renewal().lease(), LEASE, before);
        harness.none(Action.Give.class);
    }

    @Test
    void afterTenMillisecondsTheLockGoesBackToTheStore() {
        Hold hold = startRun(10);
        harness.stopFor(Duration.ofMillis(9));
        harness.ends(hold);
        Hold next = harness.one(Action.Give.class).hold();
        harness.stopFor(Duration.ofMillis(1));
        harness.ends(next);
        harness.none(Action.Give.class);
        harness.release();
    }

    @Test
    void aRunEndsWithTheTokensThatTheStoreGave() {
        harness.joins();
        harness.joins();
        harness.joins();
        Claim claim = harness.claim();
        harness.grants(claim);
        harness.ends(harness.one(Action.Give.class).hold());
        harness.none(Action.Give.class);
        harness.release();
    }

    @Test
    void aKeptLockIsNotHandedOverInsideTheProcess() {
        Caller caller = harness.joins(DEFAULTS.withMinHold(Duration.ofSeconds(5)));
        harness.joins();
        LeaseId lease = harness.grants(harness.claim());
        Hold hold = harness.given(caller);
        harness.stopFor(Duration.ofSeconds(2));
        harness.ends(hold);
        harness.none(Action.Give.class);
        assertThat(harness.one(Action.SendRelease.class))
                .isEqualTo(new Action.SendRelease(lease, Duration.ofSeconds(3)));
    }

    @Test
    void aRepeatedReleaseDoesNotStartTheKeptTimeAnew() {
        Hold hold = harness.held(DEFAULTS.withMinHold(Duration.ofSeconds(5)));
        harness.ends(hold);
        LeaseId lease = harness.release();
        harness.stopFor(Duration.ofSeconds(2));
        harness.releaseFails(lease);
        harness.pass(Duration.ofSeconds(1));
        Duration keep = harness.one(Action.SendRelease.class).keepFor();
        assertThat(keep).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
    }

    @Test
    void oneWhoWillNotRenewGetsALeaseThatWasJustRenewed() {
        Hold first = startRun(1);
        Caller next = harness.joins(UNRENEWED);
        harness.ends(first);
        Hold second = harness.one(Action.Give.class).hold();
        harness.forget();
        harness.ends(second);
        harness.none(Action.Give.class);
        Action.SendRenew renewal = harness.renewal();
        assertThat(renewal.duration()).isEqualTo(LEASE);
        harness.renewed(renewal.lease(), LEASE);
        harness.given(next);
    }

    /** In ZooKeeper a lease is confirmed for as long as the session, which may be far less than the lease. */
    @Test
    @DisplayName("A store that confirms less than it was asked for serves the next caller without a renewal")
    void aShortConfirmationServesTheNextCaller() {
        Hold opener = harness.held();
        Caller first = harness.joins();
        harness.joins();
        harness.ends(opener);
        harness.released(harness.release());
        harness.grants(harness.claim(), LEASE.dividedBy(3), harness.now());
        Hold hold = harness.given(first);
        harness.forget();
        harness.stopFor(Duration.ofMillis(5));
        harness.ends(hold);
        harness.one(Action.Give.class);
        harness.none(Action.SendRenew.class);
    }

    @Test
    void oneWhoNeedsALongerLeaseGetsItRenewedFirst() {
        Hold first = startRun(1);
        Caller next = harness.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        harness.ends(first);
        harness.ends(harness.one(Action.Give.class).hold());
        harness.none(Action.Give.class);
        Action.SendRenew renewal = harness.renewal();
        assertThat(renewal.duration()).isEqualTo(Duration.ofMinutes(10));
        harness.renewed(renewal.lease(), Duration.ofMinutes(10));
        assertThat(harness.given(next).remaining(harness.now())).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    @DisplayName("A lease that was granted for longer does not outlast the next one's maxHold")
    void aLongerLeaseDoesNotOutlastTheNextMaxHold() {
        Hold opener = harness.held();
        Caller first = harness.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        Caller next =
                harness.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(5)).withMaxHold(Duration.ofSeconds(5)));
        harness.ends(opener);
        harness.released(harness.release());
        LeaseId lease = harness.grants(harness.claim());
        harness.ends(harness.given(first));
        Hold hold = harness.given(next);
        assertThat(hold.remaining(harness.now())).isEqualTo(Duration.ofSeconds(5));
        harness.send(new Event.DoubtSignal(false));
        harness.renewed(harness.renewal().lease(), Duration.ofSeconds(5));
        assertThat(hold.remaining(harness.now())).isEqualTo(Duration.ofSeconds(5));
        harness.forget();
        harness.pass(Duration.ofSeconds(5).minusNanos(1));
        assertThat(hold.state(harness.now()).isValid()).isTrue();
        harness.pass(Duration.ofNanos(1));
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(harness.release()).isEqualTo(lease);
    }

    @Test
    void aCallerWhoLeavesIsNotServed() {
        Caller gone = harness.joins();
        Caller stays = harness.joins();
        harness.leaves(gone);
        harness.grants(harness.claim());
        harness.given(stays);
    }

    @Test
    void aGrantThatNobodyWaitsForAnyMoreIsReleased() {
        Caller gone = harness.joins();
        Claim claim = harness.claim();
        harness.leaves(gone);
        LeaseId lease = harness.grants(claim);
        harness.none(Action.Give.class);
        assertThat(harness.release()).isEqualTo(lease);
        harness.released(lease);
        harness.isIdle();
    }

    @Test
    void aHoldWhoseEndWasNotReportedIsEndedAllTheSame() {
        Hold hold = harness.held();
        hold.end(harness.now());
        harness.pass(Duration.ofSeconds(11));
        LeaseId lease = harness.release();
        harness.released(lease);
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        harness.isIdle();
    }

    @Test
    void endingAHoldTwiceReleasesOnce() {
        Hold hold = harness.held();
        harness.ends(hold);
        harness.ends(hold);
        harness.release();
        harness.none(Action.SendRelease.class);
    }

    @Test
    void endingAnOldHoldAgainDoesNotEndTheNext() {
        Hold first = startRun(2);
        harness.ends(first);
        Hold second = harness.one(Action.Give.class).hold();
        harness.forget();
        harness.ends(first);
        harness.none(Action.Give.class);
        harness.none(Action.Settle.class);
        assertThat(second.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aReleaseAfterTheDeadlineIsALoss() {
        Hold hold = harness.held();
        harness.stopFor(LEASE);
        harness.ends(hold);
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("A release before the deadline that is handled after it is settled too")
    void aReleaseHandledAfterTheDeadlineIsSettledToo() {
        Hold hold = harness.held();
        hold.end(harness.now());
        harness.stopFor(LEASE);
        harness.send(new Event.EndHold(hold));
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        harness.released(harness.release());
        harness.isIdle();
    }

    /** Starts a run with its first holder, and others behind it. */
    private Hold startRun(int others) {
        Hold opener = harness.held();
        Caller first = harness.joins();
        for (int i = 0; i < others; i++) {
            harness.joins();
        }
        harness.ends(opener);
        harness.released(harness.release());
        harness.grants(harness.claim());
        Hold hold = harness.given(first);
        harness.forget();
        return hold;
    }
}
