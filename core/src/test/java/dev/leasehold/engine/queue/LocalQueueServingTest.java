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
import org.junit.jupiter.api.Test;

/** Joining, being served, and handing over inside the process. */
class LocalQueueServingTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void oneCallerTakesOneClaimAndOneRelease() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        assertThat(claim.lease()).isEqualTo(LEASE);
        assertThat(claim.enqueue()).isTrue();
        assertThat(claim.spare()).isZero();
        LeaseId lease = bench.grants(claim);
        Hold hold = bench.given(caller);
        assertThat(hold.token()).isEqualTo(lease.token());

        bench.ends(hold);
        assertThat(bench.one(Action.SendRelease.class)).isEqualTo(new Action.SendRelease(lease, Duration.ZERO));
        bench.none(Action.Settle.class);
        bench.released(lease);
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        bench.isIdle();
    }

    @Test
    void manyCallersAreOneClaim() {
        bench.joins();
        bench.joins();
        bench.joins();
        bench.claim();
        bench.none(Action.SendClaim.class);
    }

    @Test
    void aDeadlineCountsFromTheSendingOfTheRequest() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        var sentAt = bench.now();
        bench.stopFor(Duration.ofSeconds(20));
        bench.grants(claim, LEASE, sentAt);
        assertThat(bench.given(caller).remaining(bench.now())).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void callersAreServedInOrderWithTheTokensOfTheRun() {
        Hold first = bench.held();
        List<Caller> next = List.of(bench.joins(), bench.joins());
        bench.ends(first);
        LeaseId spent = bench.release();
        bench.released(spent);
        Claim claim = bench.claim();
        assertThat(claim.spare()).isEqualTo(HAND_OVERS);
        LeaseId lease = bench.grants(claim);

        Hold second = bench.given(next.get(0));
        bench.none(Action.Give.class);
        bench.ends(second);
        Hold third = bench.given(next.get(1));
        bench.none(Action.SendRelease.class);
        assertThat(second.token()).isEqualTo(lease.token());
        assertThat(third.token()).isEqualTo(lease.token() + 1);
        assertThat(bench.all(Action.Settle.class)).contains(new Action.Settle(second, LeaseState.RELEASED, null));
    }

    @Test
    void nobodyIsServedWhileAnotherHolds() {
        Hold first = startRun(5);
        bench.look();
        bench.pass(Duration.ofSeconds(1));
        bench.none(Action.Give.class);
        assertThat(first.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void afterSoManyHandOversTheLockGoesBackToTheStore() {
        Hold hold = startRun(10);
        int handOvers = 0;
        while (true) {
            bench.ends(hold);
            List<Action.Give> gives = bench.all(Action.Give.class);
            if (gives.isEmpty()) {
                break;
            }
            handOvers++;
            hold = gives.get(0).hold();
        }
        assertThat(handOvers).isEqualTo(HAND_OVERS);
        LeaseId lease = bench.release();
        bench.none(Action.SendClaim.class);
        bench.released(lease);
        assertThat(bench.claim().id()).isNotEqualTo(lease.claim());
    }

    @Test
    void alsoAStoreThatGivesMoreTokensDoesNotMakeTheRunLonger() {
        for (int i = 0; i < 10; i++) {
            bench.joins();
        }
        Claim claim = bench.claim();
        LeaseId lease = bench.newLease(claim);
        bench.answers(claim, new ClaimAnswer.Granted(lease, 60, Validity.of(bench.now(), LEASE)));
        int holds = 0;
        for (var gives = bench.all(Action.Give.class); !gives.isEmpty(); gives = bench.all(Action.Give.class)) {
            holds++;
            bench.ends(gives.get(0).hold());
        }
        assertThat(holds).isEqualTo(1 + HAND_OVERS);
    }

    @Test
    void aLeaseClaimedForAnotherWhoWantedLessIsRenewedFirst() {
        Caller gone = bench.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(10)));
        Caller stays = bench.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        bench.leaves(gone);
        LeaseId lease = bench.grants(bench.claim());
        bench.none(Action.Give.class);
        assertThat(bench.renewal().duration()).isEqualTo(Duration.ofMinutes(10));
        bench.renewed(lease, Duration.ofMinutes(10));
        bench.given(stays);
    }

    @Test
    void anAnswerToAnEarlierRequestDoesNotPrepareTheLeaseForTheNext() {
        Hold first = startRun(1);
        bench.joins(UNRENEWED);
        bench.ends(first);
        Hold second = bench.one(Action.Give.class).hold();
        bench.forget();
        var before = bench.now();
        bench.stopFor(Duration.ofMillis(1));
        bench.ends(second);
        bench.renewed(bench.renewal().lease(), LEASE, before);
        bench.none(Action.Give.class);
    }

    @Test
    void afterTenMillisecondsTheLockGoesBackToTheStore() {
        Hold hold = startRun(10);
        bench.stopFor(Duration.ofMillis(9));
        bench.ends(hold);
        Hold next = bench.one(Action.Give.class).hold();
        bench.stopFor(Duration.ofMillis(1));
        bench.ends(next);
        bench.none(Action.Give.class);
        bench.release();
    }

    @Test
    void aRunEndsWithTheTokensThatTheStoreGave() {
        bench.joins();
        bench.joins();
        bench.joins();
        Claim claim = bench.claim();
        bench.grants(claim);
        bench.ends(bench.one(Action.Give.class).hold());
        bench.none(Action.Give.class);
        bench.release();
    }

    @Test
    void aKeptLockIsNotHandedOverInsideTheProcess() {
        Caller caller = bench.joins(DEFAULTS.withAtLeast(Duration.ofSeconds(5)));
        bench.joins();
        LeaseId lease = bench.grants(bench.claim());
        Hold hold = bench.given(caller);
        bench.stopFor(Duration.ofSeconds(2));
        bench.ends(hold);
        bench.none(Action.Give.class);
        assertThat(bench.one(Action.SendRelease.class)).isEqualTo(new Action.SendRelease(lease, Duration.ofSeconds(3)));
    }

    @Test
    void aRepeatedReleaseDoesNotStartTheKeptTimeAnew() {
        Hold hold = bench.held(DEFAULTS.withAtLeast(Duration.ofSeconds(5)));
        bench.ends(hold);
        LeaseId lease = bench.release();
        bench.stopFor(Duration.ofSeconds(2));
        bench.releaseFails(lease);
        bench.pass(Duration.ofSeconds(1));
        Duration keep = bench.one(Action.SendRelease.class).keepFor();
        assertThat(keep).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(3));
    }

    @Test
    void oneWhoWillNotRenewGetsALeaseThatWasJustRenewed() {
        Hold first = startRun(1);
        Caller next = bench.joins(UNRENEWED);
        bench.ends(first);
        Hold second = bench.one(Action.Give.class).hold();
        bench.forget();
        bench.ends(second);
        bench.none(Action.Give.class);
        Action.SendRenew renewal = bench.renewal();
        assertThat(renewal.duration()).isEqualTo(LEASE);
        bench.renewed(renewal.lease(), LEASE);
        bench.given(next);
    }

    /** In ZooKeeper a lease is confirmed for as long as the session, which may be far less than the lease. */
    @Test
    void aStoreThatConfirmsLessThanItWasAskedForServesTheNextWithoutARenewal() {
        Hold opener = bench.held();
        Caller first = bench.joins();
        bench.joins();
        bench.ends(opener);
        bench.released(bench.release());
        bench.grants(bench.claim(), LEASE.dividedBy(3), bench.now());
        Hold hold = bench.given(first);
        bench.forget();
        bench.stopFor(Duration.ofMillis(5));
        bench.ends(hold);
        bench.one(Action.Give.class);
        bench.none(Action.SendRenew.class);
    }

    @Test
    void oneWhoNeedsALongerLeaseGetsItRenewedFirst() {
        Hold first = startRun(1);
        Caller next = bench.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        bench.ends(first);
        bench.ends(bench.one(Action.Give.class).hold());
        bench.none(Action.Give.class);
        Action.SendRenew renewal = bench.renewal();
        assertThat(renewal.duration()).isEqualTo(Duration.ofMinutes(10));
        bench.renewed(renewal.lease(), Duration.ofMinutes(10));
        assertThat(bench.given(next).remaining(bench.now())).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void aLeaseThatWasGrantedForLongerDoesNotOutlastTheNextOnesMaxHold() {
        Hold opener = bench.held();
        Caller first = bench.joins(DEFAULTS.withLeaseDuration(Duration.ofMinutes(10)));
        Caller next =
                bench.joins(DEFAULTS.withLeaseDuration(Duration.ofSeconds(5)).withMaxHold(Duration.ofSeconds(5)));
        bench.ends(opener);
        bench.released(bench.release());
        LeaseId lease = bench.grants(bench.claim());
        bench.ends(bench.given(first));
        Hold hold = bench.given(next);
        assertThat(hold.remaining(bench.now())).isEqualTo(Duration.ofSeconds(5));
        bench.send(new Event.DoubtSignal());
        bench.renewed(bench.renewal().lease(), Duration.ofSeconds(5));
        assertThat(hold.remaining(bench.now())).isEqualTo(Duration.ofSeconds(5));
        bench.forget();
        bench.pass(Duration.ofSeconds(5).minusNanos(1));
        assertThat(hold.state(bench.now()).isValid()).isTrue();
        bench.pass(Duration.ofNanos(1));
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(bench.release()).isEqualTo(lease);
    }

    @Test
    void aCallerWhoLeavesIsNotServed() {
        Caller gone = bench.joins();
        Caller stays = bench.joins();
        bench.leaves(gone);
        bench.grants(bench.claim());
        bench.given(stays);
    }

    @Test
    void aGrantThatNobodyWaitsForAnyMoreIsReleased() {
        Caller gone = bench.joins();
        Claim claim = bench.claim();
        bench.leaves(gone);
        LeaseId lease = bench.grants(claim);
        bench.none(Action.Give.class);
        assertThat(bench.release()).isEqualTo(lease);
        bench.released(lease);
        bench.isIdle();
    }

    @Test
    void aHoldWhoseEndWasNotReportedIsEndedAllTheSame() {
        Hold hold = bench.held();
        hold.end(bench.now());
        bench.pass(Duration.ofSeconds(11));
        LeaseId lease = bench.release();
        bench.released(lease);
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        bench.isIdle();
    }

    @Test
    void endingAHoldTwiceReleasesOnce() {
        Hold hold = bench.held();
        bench.ends(hold);
        bench.ends(hold);
        bench.release();
        bench.none(Action.SendRelease.class);
    }

    @Test
    void endingAnOldHoldAgainDoesNotEndTheNext() {
        Hold first = startRun(2);
        bench.ends(first);
        Hold second = bench.one(Action.Give.class).hold();
        bench.forget();
        bench.ends(first);
        bench.none(Action.Give.class);
        bench.none(Action.Settle.class);
        assertThat(second.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aReleaseAfterTheDeadlineIsALoss() {
        Hold hold = bench.held();
        bench.stopFor(LEASE);
        bench.ends(hold);
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aReleaseBeforeTheDeadlineThatIsHandledAfterItIsSettledToo() {
        Hold hold = bench.held();
        hold.end(bench.now());
        bench.stopFor(LEASE);
        bench.send(new Event.EndHold(hold));
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.RELEASED, null));
        bench.released(bench.release());
        bench.isIdle();
    }

    /** A run with its first holder, and others behind it. */
    private Hold startRun(int others) {
        Hold opener = bench.held();
        Caller first = bench.joins();
        for (int i = 0; i < others; i++) {
            bench.joins();
        }
        bench.ends(opener);
        bench.released(bench.release());
        bench.grants(bench.claim());
        Hold hold = bench.given(first);
        bench.forget();
        return hold;
    }
}
