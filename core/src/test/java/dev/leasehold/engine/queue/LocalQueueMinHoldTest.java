package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A lock that is to stay taken for a time stays taken though its process dies at once: the store has it for so long. */
class LocalQueueMinHoldTest {

    private static final Duration AT_LEAST = Duration.ofSeconds(30);
    private static final LockOptions NIGHTLY =
            LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3)).withMinHold(AT_LEAST);

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void theFirstLeaseLastsForMinHoldOrLonger() {
        harness.joins(NIGHTLY);
        assertThat(harness.claim().lease()).isEqualTo(AT_LEAST);
        harness.joins(LockOptions.defaults().withMinHold(Duration.ofSeconds(1)));
    }

    @Test
    void eachRenewalCoversWhatIsLeftOfIt() {
        Hold hold = harness.held(NIGHTLY);
        harness.passToNextDue();
        Action.SendRenew first = harness.renewal();
        Duration left = Duration.ofNanos(hold.keepNanos(harness.now().nanos()));
        assertThat(left).isLessThan(AT_LEAST).isGreaterThan(Duration.ofSeconds(10));
        assertThat(first.duration()).isEqualTo(left);
        for (int i = 0; i < 20; i++) {
            harness.renewed(first.lease(), Duration.ofSeconds(30));
            harness.passToNextDue();
            harness.all(Action.SendRenew.class);
        }
        harness.renewed(first.lease(), Duration.ofSeconds(3));
        harness.forget();
        harness.pass(Duration.ofSeconds(12));
        assertThat(harness.all(Action.SendRenew.class))
                .isNotEmpty()
                .allMatch(sent -> sent.duration().equals(Duration.ofSeconds(3)));
    }

    @Test
    void whoIsServedFromAShorterLeaseHasItRenewedFirst() {
        Hold first = harness.held(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3)));
        Caller nightly = harness.joins(NIGHTLY);
        harness.ends(first);
        harness.all(Action.SendRelease.class).forEach(sent -> harness.released(sent.lease()));
        if (harness.has(Action.SendClaim.class)) {
            Claim claim = harness.claim();
            assertThat(claim.lease()).isEqualTo(AT_LEAST);
            harness.grants(claim);
        } else {
            Action.SendRenew renewal = harness.renewal();
            assertThat(renewal.duration()).isEqualTo(AT_LEAST);
            harness.renewed(renewal.lease(), AT_LEAST);
        }
        harness.given(nightly);
    }

    @Test
    @DisplayName("A holder that loses its hold by maxHold leaves the lock taken for the rest of the lease")
    void aHoldLostByMaxHoldLeavesTheLockTaken() {
        Hold hold = harness.held(NIGHTLY.withMaxHold(Duration.ofSeconds(10)));
        LeaseId lease = null;
        while (hold.state(harness.now()).isValid()) {
            harness.passToNextDue();
            for (Action.SendRenew sent : harness.all(Action.SendRenew.class)) {
                lease = sent.lease();
                harness.renewed(sent.lease(), sent.duration());
            }
        }
        assertThat(lease).isNotNull();
        assertThat(harness.one(Action.SendRelease.class).keepFor())
                .isBetween(Duration.ofSeconds(19), Duration.ofSeconds(21));
    }

    @Test
    void itCountsAnewFromABeginningAnew() {
        Hold hold = harness.held();
        harness.stopFor(Duration.ofSeconds(4));
        harness.send(new Event.BeginAnew(hold, LocalQueueHarness.DEFAULTS.withMinHold(Duration.ofSeconds(5)), null));
        harness.stopFor(Duration.ofSeconds(2));
        harness.ends(hold);
        assertThat(harness.one(Action.SendRelease.class).keepFor()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void maxHoldCountsAnewFromABeginningAnew() {
        Hold hold = harness.held();
        harness.stopFor(Duration.ofSeconds(4));
        harness.send(new Event.BeginAnew(hold, LocalQueueHarness.DEFAULTS.withMaxHold(Duration.ofSeconds(5)), null));
        assertThat(hold.remaining(harness.now())).isEqualTo(Duration.ofSeconds(5));
        harness.stopFor(Duration.ofSeconds(6));
        assertThat(hold.state(harness.now())).isEqualTo(dev.leasehold.LeaseState.LOST);
    }
}
