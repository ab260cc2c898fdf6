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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about renewal, loss, and the limits of renewal. */
class LocalQueueWatchdogTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void renewsAtAThirdOfTheLease() {
        harness.held();
        harness.pass(Duration.ofMillis(9_800));
        harness.none(Action.SendRenew.class);
        harness.pass(Duration.ofMillis(200));
        assertThat(harness.renewal().duration()).isEqualTo(LEASE);
    }

    @Test
    void aLossAfterAPauseDoesNotBlameTheStore() {
        Hold hold = harness.held();
        harness.stopFor(Duration.ofMinutes(1));
        harness.look();
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        assertThat(hold.loss.why()).startsWith("this process did not ask for more time before its lease ran out");
    }

    @Test
    void renewsAgainAndAgain() {
        Hold hold = harness.held();
        for (int i = 0; i < 50; i++) {
            harness.pass(Duration.ofSeconds(10));
            harness.renewed(harness.renewal().lease(), LEASE);
        }
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        harness.none(Action.Announce.class);
    }

    @Test
    @DisplayName("Without an answer it asks every tenth of the lease, is at risk, and then lost")
    void withoutAnAnswerItIsAtRiskAndThenLost() {
        Hold hold = harness.held();
        harness.pass(Duration.ofMillis(19_700));
        assertThat(harness.all(Action.SendRenew.class)).hasSizeBetween(3, 5);
        harness.none(Action.Announce.class);
        harness.pass(Duration.ofMillis(200));
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.AT_RISK);
        harness.pass(Duration.ofMillis(9_700));
        harness.none(Action.Announce.class);
        harness.pass(Duration.ofMillis(100));
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.Settle.class)).isEqualTo(new Action.Settle(hold, LeaseState.LOST, null));
        harness.release();
    }

    @Test
    void theRetriesOfARenewalKeepNoBeat() {
        harness.held();
        harness.pass(Duration.ofSeconds(10));
        harness.renewal();
        Set<Long> pauses = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            long before = harness.now().nanos();
            while (!harness.has(Action.SendRenew.class)) {
                harness.passToNextDue();
            }
            harness.renewal();
            pauses.add(harness.now().nanos() - before);
        }
        assertThat(pauses)
                .as("or all holders of a store that was away would ask it together again and again")
                .hasSize(4)
                .allSatisfy(pause -> assertThat(Duration.ofNanos(pause))
                        .isBetween(Duration.ofMillis(2_250), Duration.ofMillis(3_750)));
    }

    @Test
    void anAnswerBringsItBackFromAtRisk() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(25));
        harness.renewed(harness.all(Action.SendRenew.class).get(0).lease(), LEASE);
        assertThat(harness.all(Action.Announce.class))
                .extracting(Action.Announce::state)
                .containsExactly(LeaseState.AT_RISK, LeaseState.HELD);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aLateAnswerCountsFromItsSending() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofSeconds(15));
        harness.renewed(lease, LEASE, sentAt);
        assertThat(hold.remaining(harness.now())).isBetween(Duration.ofSeconds(14), Duration.ofSeconds(15));
    }

    @Test
    void anAnswerAfterTheDeadlineDoesNotReviveAHold() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        LeaseId lease = harness.renewal().lease();
        harness.stopFor(Duration.ofSeconds(25));
        harness.renewed(lease, LEASE, sentAt);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        harness.release();
    }

    @Test
    void lostInAnAnswerCountsAtOnce() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        harness.storeSaysLost(harness.renewal().lease());
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        harness.one(Action.Settle.class);
        harness.isIdle();
    }

    @Test
    void anAnswerAboutAnEarlierLeaseChangesNothing() {
        Caller first = harness.joins();
        LeaseId old = harness.grants(harness.claim());
        harness.ends(harness.given(first));
        harness.released(harness.release());
        harness.forget();
        Hold hold = harness.held();
        harness.storeSaysLost(old);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        harness.none(Action.Settle.class);
    }

    @Test
    void anUnrenewedHoldIsNotRenewedAndKeepsNoThreadBusy() {
        Hold hold = harness.held(UNRENEWED);
        harness.pass(Duration.ofMillis(29_600));
        harness.none(Action.SendRenew.class);
        harness.none(Action.Announce.class);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        harness.pass(Duration.ofMillis(200));
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void isNotRenewedBeyondMaxHold() {
        Hold hold = harness.held(DEFAULTS.withMaxHold(Duration.ofSeconds(35)));
        harness.pass(Duration.ofSeconds(10));
        Action.SendRenew last = harness.renewal();
        assertThat(last.duration()).isBetween(Duration.ofSeconds(25), Duration.ofMillis(25_200));
        assertThat(harness.one(Action.Unrenewed.class).why()).contains("maxHold");
        harness.renewed(last.lease(), last.duration());
        harness.pass(Duration.ofMillis(24_600));
        harness.none(Action.SendRenew.class);
        assertThat(hold.state(harness.now()).isValid()).isTrue();
        harness.pass(Duration.ofMillis(400));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("The last renewal before maxHold is repeated until it is answered")
    void theLastRenewalBeforeMaxHoldIsRepeated() {
        harness.held(DEFAULTS.withMaxHold(Duration.ofSeconds(35)));
        harness.pass(Duration.ofSeconds(20));
        List<Action.SendRenew> tries = harness.all(Action.SendRenew.class);
        assertThat(tries).hasSizeGreaterThan(2);
        assertThat(harness.all(Action.Unrenewed.class)).hasSize(1);
        Duration asked = tries.get(tries.size() - 1).duration();
        // Bound: the time is virtual.
        assertThat(asked).isLessThan(Duration.ofSeconds(18));
        harness.renewed(tries.get(0).lease(), asked);
        harness.pass(Duration.ofSeconds(10));
        harness.none(Action.SendRenew.class);
    }

    @Test
    @DisplayName("A late answer to an earlier request does not end the renewals before maxHold")
    void aLateAnswerDoesNotEndTheRenewalsBeforeMaxHold() {
        Hold hold = harness.held(DEFAULTS.withMaxHold(Duration.ofSeconds(45)));
        harness.pass(Duration.ofSeconds(10));
        ClockReading sentAt = harness.now();
        Action.SendRenew first = harness.renewal();
        assertThat(first.duration()).isEqualTo(LEASE);
        harness.pass(Duration.ofSeconds(9));
        List<Action.SendRenew> last = harness.all(Action.SendRenew.class);
        assertThat(last.get(last.size() - 1).duration())
                .as("no more than is left of maxHold")
                .isLessThan(LEASE);
        harness.renewed(first.lease(), LEASE, sentAt);
        harness.pass(Duration.ofSeconds(15));
        assertThat(harness.all(Action.SendRenew.class)).as("asked again").isNotEmpty();
        harness.renewed(first.lease(), Duration.ofSeconds(11));
        harness.pass(Duration.ofMillis(10_500));
        assertThat(hold.state(harness.now()).isValid()).as("after 44.5 s").isTrue();
    }

    @Test
    void maxHoldCountsPerHoldNotPerLease() {
        LockOptions capped = DEFAULTS.withMaxHold(Duration.ofSeconds(40));
        Hold opener = harness.held(capped);
        Caller next = harness.joins(capped);
        harness.joins(capped);
        harness.ends(opener);
        harness.released(harness.release());
        harness.grants(harness.claim());
        Hold first = harness.given(next);
        harness.forget();
        harness.stopFor(Duration.ofMillis(5));
        harness.ends(first);
        Hold second = harness.one(Action.Give.class).hold();
        assertThat(second.holdNanosLeft(harness.now().nanos()))
                .isEqualTo(Duration.ofSeconds(40).toNanos());
    }

    @Test
    void withoutALimitRenewalsGoOnForYears() {
        Hold hold = harness.held(DEFAULTS.withMaxHold(LockOptions.FOREVER).withLeaseDuration(Duration.ofDays(3_000)));
        for (int i = 0; i < 30; i++) {
            harness.passToNextDue();
            harness.renewed(harness.renewal().lease(), Duration.ofDays(3_000));
        }
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        harness.none(Action.Unrenewed.class);
    }

    @Test
    void theLongestDurationsDoNotOverflow() {
        LockOptions forever = LockOptions.defaults()
                .withLeaseDuration(LockOptions.FOREVER)
                .withMaxHold(LockOptions.FOREVER)
                .withMinHold(LockOptions.FOREVER);
        Hold hold = harness.held(forever);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        assertThat(hold.remaining(harness.now())).isGreaterThan(Duration.ofDays(36_000));
        harness.pass(Duration.ofDays(1));
        harness.none(Action.SendRenew.class);
        harness.ends(hold);
        assertThat(harness.one(Action.SendRelease.class).keepFor()).isEqualTo(LockOptions.FOREVER.minusDays(1));
    }

    @Test
    void aHoldOfADeadThreadIsNotRenewed() throws InterruptedException {
        Thread owner = new Thread(() -> {});
        Caller caller = harness.joins(new Caller(DEFAULTS, false, owner));
        harness.grants(harness.claim());
        Hold hold = harness.given(caller);
        owner.start();
        owner.join();
        harness.pass(Duration.ofSeconds(15));
        harness.none(Action.SendRenew.class);
        harness.one(Action.Unrenewed.class);
        harness.none(Action.SendRelease.class);
        harness.pass(Duration.ofSeconds(15));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aHoldThatNothingReferencesIsNotRenewed() {
        Hold hold = harness.held();
        boolean[] referenced = {true};
        hold.watchedBy(new HoldWatcher() {
            @Override
            public String ownName() {
                return "lock";
            }

            @Override
            public boolean isReferenced() {
                return referenced[0];
            }

            @Override
            public void stateChanged(LeaseState state) {}

            @Override
            public void awaited() {}
        });
        harness.pass(Duration.ofSeconds(10));
        harness.renewed(harness.renewal().lease(), LEASE);
        referenced[0] = false;
        harness.pass(Duration.ofSeconds(15));
        harness.none(Action.SendRenew.class);
        harness.one(Action.Unrenewed.class);
    }

    @Test
    @DisplayName("An answer that came round another way does not shorten a lease")
    void aDetouredAnswerDoesNotShortenALease() {
        Hold hold = harness.held();
        harness.extend(hold, Duration.ofMinutes(10));
        LeaseId lease = harness.renewal().lease();
        harness.renewed(lease, Duration.ofMinutes(10));
        harness.renewed(lease, LEASE);
        assertThat(hold.remaining(harness.now())).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void onceMaxHoldIsOverNothingIsAskedAnyMore() {
        harness.held(DEFAULTS.withMaxHold(Duration.ofSeconds(12)));
        harness.pass(Duration.ofSeconds(16));
        harness.forget();
        harness.pass(Duration.ofSeconds(10));
        harness.none(Action.SendRenew.class);
    }

    @Test
    @DisplayName("The maxHold of the former holder does not end the renewals of the next")
    void aFormerMaxHoldDoesNotEndTheNextRenewals() {
        Hold opener = harness.held();
        Caller capped = harness.joins(DEFAULTS.withMaxHold(Duration.ofSeconds(35)));
        harness.joins();
        harness.ends(opener);
        harness.released(harness.release());
        LeaseId lease = harness.grants(harness.claim());
        Hold first = harness.given(capped);
        harness.extend(first, Duration.ofMinutes(10));
        harness.one(Action.Unrenewed.class);
        harness.renewed(lease, Duration.ofSeconds(35));
        harness.ends(first);
        harness.one(Action.Give.class);
        harness.forget();
        for (int i = 0; i < 5; i++) {
            harness.passToNextDue();
            harness.renewed(harness.renewal().lease(), LEASE);
        }
    }

    @Test
    void aFailedRenewalIsNotALoss() {
        Hold hold = harness.held();
        harness.pass(Duration.ofSeconds(10));
        harness.send(new Event.RenewFailed(harness.renewal().lease(), LocalQueueHarness.down(Outcome.UNKNOWN)));
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        harness.pass(Duration.ofSeconds(4));
        harness.renewal();
    }
}
