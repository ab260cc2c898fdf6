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
import org.junit.jupiter.api.Test;

/** Clocks that diverge and stores that cast doubt: what is asked, what counts as an answer, and what is not handed over. */
class LocalQueueDoubtTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void aSuspendedMachineDoubtsUntilTheStoreHasConfirmed() {
        Hold hold = bench.held();
        bench.suspend(Duration.ofMinutes(1));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.UNCONFIRMED);
        bench.look();
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.UNCONFIRMED);
        bench.renewed(bench.renewal().lease(), LEASE);
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void whoIsInDoubtForAFifthOfItsLeaseIsToldOfALossAndTheLeaseIsLeftToTheStore() {
        Hold hold = bench.held();
        bench.suspend(Duration.ofMinutes(1));
        bench.look();
        bench.pass(Duration.ofMillis(5_999));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.UNCONFIRMED);
        bench.forget();
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        assertThat(bench.one(Action.Settle.class).state()).isEqualTo(LeaseState.LOST);
        bench.none(Action.SendRelease.class);
        bench.isIdle();
    }

    @Test
    void aSmallStepOfTheClockIsNoDoubt() {
        Hold hold = bench.held();
        bench.suspend(Duration.ofMillis(2_900));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void shortSleepsBetweenRenewalsDoNotAddUp() {
        Hold hold = bench.held();
        Extension hour = new Extension(Duration.ofHours(1));
        bench.send(new Event.Extend(hold, hour));
        LeaseId lease = bench.renewal().lease();
        bench.renewed(lease, Duration.ofHours(1));
        for (int i = 0; i < 100; i++) {
            bench.suspend(Duration.ofMillis(2_500));
            bench.look();
            Duration left = Duration.ofHours(1).minus(Duration.ofMillis(2_500L * (i + 1)));
            assertThat(hold.remaining(bench.now())).isLessThan(left);
            bench.renewed(lease, LEASE);
        }
    }

    @Test
    void anAnswerAcrossWhichTheClocksDivergedSetsNoDeadline() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading sentAt = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.suspend(Duration.ofMinutes(1));
        bench.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.UNCONFIRMED);
        bench.renewed(bench.renewal().lease(), LEASE);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void anAnswerAcrossWhichTheClocksDivergedSetsNoDeadlineAlsoIfTheyAreBackToWhereTheyWere() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        LeaseId lease = bench.renewal().lease();
        bench.suspend(Duration.ofSeconds(4));
        ClockReading sentAt = bench.now();
        bench.suspend(Duration.ofSeconds(-4));
        bench.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(bench.now())).as("as it was confirmed before").isEqualTo(LeaseState.HELD);
        assertThat(hold.remaining(bench.now())).isLessThan(Duration.ofSeconds(20));
        bench.renewed(bench.renewal().lease(), LEASE);
        assertThat(hold.remaining(bench.now())).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    void aDoubtStaysWhenTheClocksComeTogetherAgain() {
        Hold hold = bench.held();
        bench.suspend(Duration.ofMinutes(1));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.UNCONFIRMED);
        bench.suspend(Duration.ofMinutes(-1));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.UNCONFIRMED);
        bench.look();
        bench.renewed(bench.renewal().lease(), LEASE);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void anAnswerToARequestFromBeforeTheDoubtDoesNotResolveIt() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading sentAt = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.stopFor(Duration.ofMillis(1));
        bench.suspend(Duration.ofMinutes(1));
        bench.look();
        bench.suspend(Duration.ofMinutes(-1));
        bench.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.UNCONFIRMED);
        bench.forget();
        bench.pass(Duration.ofMillis(19_698));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
        assertThat(bench.one(Action.Announce.class).state())
                .as("told at the deadline, not later")
                .isEqualTo(LeaseState.LOST);
    }

    @Test
    void anAnswerToARequestFromBeforeADoubtSignalDoesNotResolveIt() {
        bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading sentAt = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.stopFor(Duration.ofMillis(1));
        bench.send(new Event.DoubtSignal());
        bench.renewal();
        bench.renewed(lease, LEASE, sentAt);
        bench.pass(Duration.ofSeconds(4));
        assertThat(bench.all(Action.SendRenew.class)).as("asked again").isNotEmpty();
    }

    @Test
    void aBrokenConnectionIsARiskAtOnceUntilALaterRequestConfirms() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading before = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.stopFor(Duration.ofMillis(1));
        bench.send(new Event.RiskSignal());
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.AT_RISK);
        LeaseId asked = bench.renewal().lease();
        bench.renewed(lease, LEASE, before);
        assertThat(hold.state(bench.now())).as("asked before").isEqualTo(LeaseState.AT_RISK);
        bench.none(Action.Announce.class);
        bench.renewed(asked, LEASE);
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.HELD);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aBrokenConnectionMovesNoDeadline() {
        Hold hold = bench.held(UNRENEWED);
        bench.send(new Event.RiskSignal());
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.AT_RISK);
        assertThat(hold.remaining(bench.now())).isGreaterThan(LEASE.dividedBy(2));
        bench.stopFor(LEASE);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aDoubtfulLeaseIsGivenBackAndTheStoreSaysWhetherItWasHeld() {
        Hold opener = bench.held();
        Caller next = bench.joins();
        bench.joins();
        bench.ends(opener);
        bench.released(bench.release());
        LeaseId lease = bench.grants(bench.claim());
        Hold hold = bench.given(next);
        bench.forget();
        bench.suspend(Duration.ofMinutes(1));
        bench.ends(hold);
        bench.none(Action.Give.class);
        bench.none(Action.Settle.class);
        bench.wasNotHeld(bench.release());
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(lease.token()).isEqualTo(hold.token());
    }

    @Test
    void aHoldThatEndedInDoubtIsGivenBackAlsoIfTheClocksHaveComeTogether() {
        Hold hold = runOfTwo();
        bench.suspend(Duration.ofMinutes(1));
        hold.end(bench.now());
        bench.suspend(Duration.ofMinutes(-1));
        bench.send(new Event.EndHold(hold));
        bench.none(Action.Give.class);
        bench.release();
    }

    @Test
    void aLeaseThatTheStoreHasCastDoubtOnIsNotHandedOver() {
        Hold hold = runOfTwo();
        bench.send(new Event.DoubtSignal());
        bench.renewal();
        bench.ends(hold);
        bench.none(Action.Give.class);
        bench.none(Action.Settle.class);
        bench.release();
    }

    @Test
    void aCallerDoesNotGetALeaseAcrossWhoseGrantTheClocksDiverged() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        ClockReading sentAt = bench.now();
        bench.suspend(Duration.ofMinutes(1));
        bench.grants(claim, LEASE, sentAt);
        bench.none(Action.Give.class);
        Action.SendRenew question = bench.all(Action.SendRenew.class).get(0);
        bench.renewed(question.lease(), LEASE);
        assertThat(bench.given(caller).state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aRenewalForTheNextCallerAcrossWhichTheClocksDivergedDoesNotCount() {
        Hold hold = runOfTwo(UNRENEWED);
        bench.ends(hold);
        LeaseId lease = bench.renewal().lease();
        ClockReading sentAt = bench.now();
        bench.suspend(Duration.ofMinutes(1));
        bench.renewed(lease, LEASE, sentAt);
        bench.none(Action.Give.class);
        bench.renewed(bench.renewal().lease(), LEASE);
        assertThat(bench.one(Action.Give.class).hold().state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void doubtAsksAlsoForAHoldThatIsNotRenewedButDoesNotExtendIt() {
        bench.held(UNRENEWED);
        bench.send(new Event.DoubtSignal());
        assertThat(bench.renewal().duration()).isLessThan(Duration.ofMillis(10));
    }

    @Test
    void anUnansweredDoubtEndsWithTheDeadline() {
        Hold hold = bench.held();
        bench.suspend(Duration.ofHours(1));
        bench.look();
        bench.pass(Duration.ofSeconds(30));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
        assertThat(bench.all(Action.Announce.class))
                .extracting(Action.Announce::state)
                .containsExactly(LeaseState.UNCONFIRMED, LeaseState.LOST);
    }

    private Hold runOfTwo() {
        return runOfTwo(DEFAULTS);
    }

    /** A holder with a run of tokens, and one more caller with these options behind it. */
    private Hold runOfTwo(LockOptions second) {
        Hold opener = bench.held();
        Caller next = bench.joins();
        bench.joins(second);
        bench.ends(opener);
        bench.released(bench.release());
        bench.grants(bench.claim());
        Hold hold = bench.given(next);
        bench.forget();
        return hold;
    }
}
