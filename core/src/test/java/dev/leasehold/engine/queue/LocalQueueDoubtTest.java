package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests are about clocks that diverge and stores that cast doubt: what is asked, what counts as an answer, and what is
 * not handed over.
 */
class LocalQueueDoubtTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void aSuspendedMachineDoubtsUntilTheStoreHasConfirmed() {
        Hold hold = harness.held();
        harness.suspend(Duration.ofMinutes(1));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.UNCONFIRMED);
        harness.look();
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.UNCONFIRMED);
        harness.renewed(harness.renewal().lease(), LEASE);
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    @DisplayName("A holder in doubt for a fifth of its lease learns of a loss, and the lease is left in the store")
    void aHoldInDoubtForAFifthOfItsLeaseIsLost() {
        Hold hold = harness.held();
        harness.suspend(Duration.ofMinutes(1));
        harness.look();
        harness.pass(Duration.ofMillis(5_999));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.UNCONFIRMED);
        harness.forget();
        harness.pass(Duration.ofMillis(1));
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.Settle.class).state()).isEqualTo(LeaseState.LOST);
        harness.none(Action.SendRelease.class);
        harness.isIdle();
    }

    @Test
    @DisplayName(
            "Leases that were in doubt together, as after a broken connection, are not renewed in step from then on")
    void renewalsAfterADoubtAreSpread() {
        LocalQueueHarness readers = LocalQueueHarness.sharing(Claim.UNLIMITED);
        for (int i = 0; i < 40; i++) {
            readers.joins();
        }
        readers.all(Action.SendClaim.class).forEach(send -> readers.grants(send.claim()));
        readers.send(new Event.DoubtSignal(false));
        readers.all(Action.SendRenew.class).forEach(send -> readers.renewed(send.lease(), LEASE));
        int all = 0;
        int most = 0;
        for (int i = 0; i < 105; i++) {
            readers.pass(Duration.ofMillis(100));
            List<Action.SendRenew> together = readers.all(Action.SendRenew.class);
            together.forEach(send -> readers.renewed(send.lease(), LEASE));
            all += together.size();
            most = Math.max(most, together.size());
        }
        assertThat(all).isGreaterThanOrEqualTo(40);
        assertThat(most).isLessThan(10);
    }

    @Test
    void aSmallStepOfTheClockIsNoDoubt() {
        Hold hold = harness.held();
        harness.suspend(Duration.ofMillis(2_900));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void shortSleepsBetweenRenewalsDoNotAddUp() {
        Hold hold = harness.held();
        Extension hour = new Extension(Duration.ofHours(1));
        harness.send(new Event.Extend(hold, hour));
        LeaseId lease = harness.renewal().lease();
        harness.renewed(lease, Duration.ofHours(1));
        for (int i = 0; i < 100; i++) {
            harness.suspend(Duration.ofMillis(2_500));
            harness.look();
            Duration left = Duration.ofHours(1).minus(Duration.ofMillis(2_500L * (i + 1)));
            assertThat(hold.remaining(harness.now())).isLessThan(left);
            harness.renewed(lease, LEASE);
        }
    }

    @Test
    void anAnswerAcrossWhichTheClocksDivergedSetsNoDeadline() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.suspend(Duration.ofMinutes(1));
        harness.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.UNCONFIRMED);
        harness.renewed(harness.renewal().lease(), LEASE);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    @DisplayName(
            "An answer across which the clocks diverged sets no deadline, also if they are back to where they were")
    void anAnswerAcrossADivergenceSetsNoDeadline() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        LeaseId lease = harness.renewal().lease();
        harness.suspend(Duration.ofSeconds(4));
        ClockReading sentAt = harness.now();
        harness.suspend(Duration.ofSeconds(-4));
        harness.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(harness.now())).as("as it was confirmed before").isEqualTo(LeaseState.HELD);
        // Bound: the time is virtual.
        assertThat(hold.remaining(harness.now())).isLessThan(Duration.ofSeconds(20));
        harness.renewed(harness.renewal().lease(), LEASE);
        assertThat(hold.remaining(harness.now())).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    void aDoubtStaysWhenTheClocksComeTogetherAgain() {
        Hold hold = harness.held();
        harness.suspend(Duration.ofMinutes(1));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.UNCONFIRMED);
        harness.suspend(Duration.ofMinutes(-1));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.UNCONFIRMED);
        harness.look();
        harness.renewed(harness.renewal().lease(), LEASE);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    @DisplayName("In doubt the new answer counts though the one before would last longer")
    void inDoubtTheNewAnswerCounts() {
        Hold hold = harness.held();
        harness.suspend(Duration.ofMinutes(1));
        harness.look();
        LeaseId lease = harness.renewal().lease();
        harness.suspend(Duration.ofMinutes(-1));
        harness.renewed(lease, Duration.ofSeconds(10));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        // Bound: the time is virtual.
        assertThat(hold.remaining(harness.now())).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    @DisplayName("An answer to a request from before the doubt does not resolve it")
    void anAnswerFromBeforeTheDoubtDoesNotResolveIt() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofMillis(1));
        harness.suspend(Duration.ofMinutes(1));
        harness.look();
        harness.suspend(Duration.ofMinutes(-1));
        harness.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.UNCONFIRMED);
        harness.forget();
        harness.pass(Duration.ofMillis(19_698));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.Announce.class).state())
                .as("told at the deadline, not later")
                .isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("An answer to a request from before a doubt signal does not resolve it")
    void anAnswerFromBeforeADoubtSignalDoesNotResolveIt() {
        harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofMillis(1));
        harness.send(new Event.DoubtSignal(false));
        harness.renewal();
        harness.renewed(lease, LEASE, sentAt);
        harness.pass(Duration.ofSeconds(4));
        assertThat(harness.all(Action.SendRenew.class)).as("asked again").isNotEmpty();
    }

    @Test
    @DisplayName("A broken connection is a risk at once until a later request confirms")
    void aBrokenConnectionIsARiskUntilALaterRequest() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading before = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofMillis(1));
        harness.send(new Event.DoubtSignal(true));
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.AT_RISK);
        LeaseId asked = harness.renewal().lease();
        harness.renewed(lease, LEASE, before);
        assertThat(hold.state(harness.now())).as("asked before").isEqualTo(LeaseState.AT_RISK);
        harness.none(Action.Announce.class);
        harness.renewed(asked, LEASE);
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aBrokenConnectionMovesNoDeadline() {
        Hold hold = harness.held(UNRENEWED);
        harness.send(new Event.DoubtSignal(true));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.remaining(harness.now())).isGreaterThan(LEASE.dividedBy(2));
        harness.stopFor(LEASE);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("A doubtful lease is given back and the store says whether it was held")
    void aDoubtfulLeasesReleaseSaysWhetherItWasHeld() {
        Hold opener = harness.held();
        Caller next = harness.joins();
        harness.joins();
        harness.ends(opener);
        harness.released(harness.release());
        LeaseId lease = harness.grants(harness.claim());
        Hold hold = harness.given(next);
        harness.forget();
        harness.suspend(Duration.ofMinutes(1));
        harness.ends(hold);
        harness.none(Action.Give.class);
        harness.none(Action.Settle.class);
        harness.wasNotHeld(harness.release());
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(lease.token()).isEqualTo(hold.token());
    }

    @Test
    @DisplayName("A hold that ended in doubt is given back, also if the clocks have come together")
    void aHoldThatEndedInDoubtIsGivenBack() {
        Hold hold = runOfTwo();
        harness.suspend(Duration.ofMinutes(1));
        hold.end(harness.now());
        harness.suspend(Duration.ofMinutes(-1));
        harness.send(new Event.EndHold(hold));
        harness.none(Action.Give.class);
        harness.release();
    }

    @Test
    void aLeaseThatTheStoreHasCastDoubtOnIsNotHandedOver() {
        Hold hold = runOfTwo();
        harness.send(new Event.DoubtSignal(false));
        harness.renewal();
        harness.ends(hold);
        harness.none(Action.Give.class);
        harness.none(Action.Settle.class);
        harness.release();
    }

    @Test
    @DisplayName("A caller does not get a lease across whose grant the clocks diverged")
    void aLeaseAcrossDivergingClocksIsNotHandedOut() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        ClockReading sentAt = harness.now();
        harness.suspend(Duration.ofMinutes(1));
        harness.grants(claim, LEASE, sentAt);
        harness.none(Action.Give.class);
        Action.SendRenew question = harness.all(Action.SendRenew.class).get(0);
        harness.renewed(question.lease(), LEASE);
        assertThat(harness.given(caller).state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    @DisplayName("A renewal for the next caller across which the clocks diverged does not count")
    void aRenewalAcrossADivergenceDoesNotCount() {
        Hold hold = runOfTwo(UNRENEWED);
        harness.ends(hold);
        LeaseId lease = harness.renewal().lease();
        ClockReading sentAt = harness.now();
        harness.suspend(Duration.ofMinutes(1));
        harness.renewed(lease, LEASE, sentAt);
        harness.none(Action.Give.class);
        harness.renewed(harness.renewal().lease(), LEASE);
        assertThat(harness.one(Action.Give.class).hold().state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    @DisplayName("Doubt asks also for a hold that is not renewed but does not extend it")
    void doubtAsksForAnUnrenewedHoldButDoesNotExtendIt() {
        harness.held(UNRENEWED);
        harness.send(new Event.DoubtSignal(false));
        // Bound: the time is virtual.
        assertThat(harness.renewal().duration()).isLessThan(Duration.ofMillis(10));
    }

    @Test
    void anUnansweredDoubtEndsWithTheDeadline() {
        Hold hold = harness.held();
        harness.suspend(Duration.ofHours(1));
        harness.look();
        harness.pass(Duration.ofSeconds(30));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        assertThat(harness.all(Action.Announce.class))
                .extracting(Action.Announce::state)
                .containsExactly(LeaseState.UNCONFIRMED, LeaseState.LOST);
    }

    private Hold runOfTwo() {
        return runOfTwo(DEFAULTS);
    }

    /** Makes a holder with a run of tokens, and one more caller with these options behind it. */
    private Hold runOfTwo(LockOptions second) {
        Hold opener = harness.held();
        Caller next = harness.joins();
        harness.joins(second);
        harness.ends(opener);
        harness.released(harness.release());
        harness.grants(harness.claim());
        Hold hold = harness.given(next);
        harness.forget();
        return hold;
    }
}
