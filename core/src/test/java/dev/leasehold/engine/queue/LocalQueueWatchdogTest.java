package dev.leasehold.engine.queue;

import static dev.leasehold.engine.queue.LocalQueueHarness.DEFAULTS;
import static dev.leasehold.engine.queue.LocalQueueHarness.LEASE;
import static dev.leasehold.engine.queue.LocalQueueHarness.UNRENEWED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Renewal, loss, and the limits of renewal. */
class LocalQueueWatchdogTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void renewsAtAThirdOfTheLease() {
        bench.held();
        bench.pass(Duration.ofMillis(9_800));
        bench.none(Action.SendRenew.class);
        bench.pass(Duration.ofMillis(200));
        assertThat(bench.renewal().duration()).isEqualTo(LEASE);
    }

    @Test
    void renewsAgainAndAgain() {
        Hold hold = bench.held();
        for (int i = 0; i < 50; i++) {
            bench.pass(Duration.ofSeconds(10));
            bench.renewed(bench.renewal().lease(), LEASE);
        }
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        bench.none(Action.Announce.class);
    }

    @Test
    void withoutAnAnswerItAsksEveryTenthThenIsAtRiskThenLost() {
        Hold hold = bench.held();
        bench.pass(Duration.ofMillis(19_700));
        assertThat(bench.all(Action.SendRenew.class)).hasSizeBetween(3, 5);
        bench.none(Action.Announce.class);
        bench.pass(Duration.ofMillis(200));
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.AT_RISK);
        bench.pass(Duration.ofMillis(9_700));
        bench.none(Action.Announce.class);
        bench.pass(Duration.ofMillis(100));
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        assertThat(bench.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        bench.release();
    }

    @Test
    void anAnswerBringsItBackFromAtRisk() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(25));
        bench.renewed(bench.all(Action.SendRenew.class).get(0).lease(), LEASE);
        assertThat(bench.all(Action.Announce.class))
                .extracting(Action.Announce::state)
                .containsExactly(LeaseState.AT_RISK, LeaseState.HELD);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aLateAnswerCountsFromItsSending() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading sentAt = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.stopFor(Duration.ofSeconds(15));
        bench.renewed(lease, LEASE, sentAt);
        assertThat(hold.remaining(bench.now())).isBetween(Duration.ofSeconds(14), Duration.ofSeconds(15));
    }

    @Test
    void anAnswerAfterTheDeadlineDoesNotReviveAHold() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        ClockReading sentAt = bench.now();
        LeaseId lease = bench.renewal().lease();
        bench.stopFor(Duration.ofSeconds(25));
        bench.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
        bench.release();
    }

    @Test
    void lostInAnAnswerCountsAtOnce() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        bench.storeSaysLost(bench.renewal().lease());
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        bench.one(Action.Settle.class);
        bench.isIdle();
    }

    @Test
    void anAnswerAboutAnEarlierLeaseChangesNothing() {
        Caller first = bench.joins();
        LeaseId old = bench.grants(bench.claim());
        bench.ends(bench.given(first));
        bench.released(bench.release());
        bench.forget();
        Hold hold = bench.held();
        bench.storeSaysLost(old);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        bench.none(Action.Settle.class);
    }

    @Test
    void anUnrenewedHoldIsNotRenewedAndKeepsNoThreadBusy() {
        Hold hold = bench.held(UNRENEWED);
        bench.pass(Duration.ofMillis(29_600));
        bench.none(Action.SendRenew.class);
        bench.none(Action.Announce.class);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        bench.pass(Duration.ofMillis(200));
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void isNotRenewedBeyondMaxHold() {
        Hold hold = bench.held(DEFAULTS.withMaxHold(Duration.ofSeconds(35)));
        bench.pass(Duration.ofSeconds(10));
        Action.SendRenew last = bench.renewal();
        assertThat(last.duration()).isBetween(Duration.ofSeconds(25), Duration.ofMillis(25_200));
        assertThat(bench.one(Action.Unrenewed.class).why()).contains("maxHold");
        bench.renewed(last.lease(), last.duration());
        bench.pass(Duration.ofMillis(24_600));
        bench.none(Action.SendRenew.class);
        assertThat(hold.state(bench.now()).isValid()).isTrue();
        bench.pass(Duration.ofMillis(400));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void theLastRenewalBeforeMaxHoldIsRepeatedUntilItIsAnswered() {
        bench.held(DEFAULTS.withMaxHold(Duration.ofSeconds(35)));
        bench.pass(Duration.ofSeconds(20));
        List<Action.SendRenew> tries = bench.all(Action.SendRenew.class);
        assertThat(tries).hasSizeGreaterThan(2);
        assertThat(bench.all(Action.Unrenewed.class)).hasSize(1);
        Duration asked = tries.get(tries.size() - 1).duration();
        assertThat(asked).isLessThan(Duration.ofSeconds(18));
        bench.renewed(tries.get(0).lease(), asked);
        bench.pass(Duration.ofSeconds(10));
        bench.none(Action.SendRenew.class);
    }

    @Test
    void maxHoldCountsPerHoldNotPerLease() {
        LockOptions capped = DEFAULTS.withMaxHold(Duration.ofSeconds(40));
        Hold opener = bench.held(capped);
        Caller next = bench.joins(capped);
        bench.joins(capped);
        bench.ends(opener);
        bench.released(bench.release());
        bench.grants(bench.claim());
        Hold first = bench.given(next);
        bench.forget();
        bench.stopFor(Duration.ofMillis(5));
        bench.ends(first);
        Hold second = bench.one(Action.Give.class).hold();
        assertThat(second.holdNanosLeft(bench.now().nanos()))
                .isEqualTo(Duration.ofSeconds(40).toNanos());
    }

    @Test
    void withoutALimitRenewalsGoOnForYears() {
        Hold hold = bench.held(DEFAULTS.withMaxHold(LockOptions.FOREVER).withLeaseDuration(Duration.ofDays(3_000)));
        for (int i = 0; i < 30; i++) {
            bench.passToNextDue();
            bench.renewed(bench.renewal().lease(), Duration.ofDays(3_000));
        }
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        bench.none(Action.Unrenewed.class);
    }

    @Test
    void theLongestDurationsDoNotOverflow() {
        LockOptions forever = LockOptions.defaults()
                .withLeaseDuration(LockOptions.FOREVER)
                .withMaxHold(LockOptions.FOREVER)
                .withAtLeast(LockOptions.FOREVER);
        Hold hold = bench.held(forever);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        assertThat(hold.remaining(bench.now())).isGreaterThan(Duration.ofDays(36_000));
        bench.pass(Duration.ofDays(1));
        bench.none(Action.SendRenew.class);
        bench.ends(hold);
        assertThat(bench.one(Action.SendRelease.class).keepFor()).isEqualTo(LockOptions.FOREVER.minusDays(1));
    }

    @Test
    void aHoldOfADeadThreadIsNotRenewed() throws InterruptedException {
        Thread owner = new Thread(() -> {});
        Caller caller = bench.joins(new Caller(DEFAULTS, false, owner));
        bench.grants(bench.claim());
        Hold hold = bench.given(caller);
        owner.start();
        owner.join();
        bench.pass(Duration.ofSeconds(15));
        bench.none(Action.SendRenew.class);
        bench.one(Action.Unrenewed.class);
        bench.none(Action.SendRelease.class);
        bench.pass(Duration.ofSeconds(15));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aHoldThatNothingReferencesIsNotRenewed() {
        Hold hold = bench.held();
        boolean[] referenced = {true};
        hold.watchedBy(new HoldWatcher() {
            @Override
            public boolean isReferenced() {
                return referenced[0];
            }

            @Override
            public void stateChanged(LeaseState state) {}
        });
        bench.pass(Duration.ofSeconds(10));
        bench.renewed(bench.renewal().lease(), LEASE);
        referenced[0] = false;
        bench.pass(Duration.ofSeconds(15));
        bench.none(Action.SendRenew.class);
        bench.one(Action.Unrenewed.class);
    }

    @Test
    void anAnswerThatCameRoundAnotherWayDoesNotShortenALease() {
        Hold hold = bench.held();
        bench.extend(hold, Duration.ofMinutes(10));
        LeaseId lease = bench.renewal().lease();
        bench.renewed(lease, Duration.ofMinutes(10));
        bench.renewed(lease, LEASE);
        assertThat(hold.remaining(bench.now())).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void onceMaxHoldIsOverNothingIsAskedAnyMore() {
        bench.held(DEFAULTS.withMaxHold(Duration.ofSeconds(12)));
        bench.pass(Duration.ofSeconds(16));
        bench.forget();
        bench.pass(Duration.ofSeconds(10));
        bench.none(Action.SendRenew.class);
    }

    @Test
    void theMaxHoldOfTheFormerHolderDoesNotEndTheRenewalsOfTheNext() {
        Hold opener = bench.held();
        Caller capped = bench.joins(DEFAULTS.withMaxHold(Duration.ofSeconds(35)));
        bench.joins();
        bench.ends(opener);
        bench.released(bench.release());
        LeaseId lease = bench.grants(bench.claim());
        Hold first = bench.given(capped);
        bench.extend(first, Duration.ofMinutes(10));
        bench.one(Action.Unrenewed.class);
        bench.renewed(lease, Duration.ofSeconds(35));
        bench.ends(first);
        bench.one(Action.Give.class);
        bench.forget();
        for (int i = 0; i < 5; i++) {
            bench.passToNextDue();
            bench.renewed(bench.renewal().lease(), LEASE);
        }
    }

    @Test
    void aFailedRenewalIsNotALoss() {
        Hold hold = bench.held();
        bench.pass(Duration.ofSeconds(10));
        bench.send(new Event.RenewFailed(bench.renewal().lease(), LocalQueueHarness.down(Outcome.UNKNOWN)));
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        bench.pass(Duration.ofSeconds(4));
        bench.renewal();
    }
}
