package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock that is to stay taken for a time stays taken though its process dies at once: the store has it for so long. */
class LocalQueueAtLeastTest {

    private static final Duration AT_LEAST = Duration.ofSeconds(30);
    private static final LockOptions NIGHTLY =
            LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3)).withAtLeast(AT_LEAST);

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void theFirstLeaseLastsForAtLeastAtLeast() {
        bench.joins(NIGHTLY);
        assertThat(bench.claim().lease()).isEqualTo(AT_LEAST);
        bench.joins(LockOptions.defaults().withAtLeast(Duration.ofSeconds(1)));
    }

    @Test
    void eachRenewalCoversWhatIsLeftOfIt() {
        Hold hold = bench.held(NIGHTLY);
        bench.passToNextDue();
        Action.SendRenew first = bench.renewal();
        Duration left = Duration.ofNanos(hold.keepNanos(bench.now().nanos()));
        assertThat(left).isLessThan(AT_LEAST).isGreaterThan(Duration.ofSeconds(10));
        assertThat(first.duration()).isEqualTo(left);
        for (int i = 0; i < 20; i++) {
            bench.renewed(first.lease(), Duration.ofSeconds(30));
            bench.passToNextDue();
            bench.all(Action.SendRenew.class);
        }
        bench.renewed(first.lease(), Duration.ofSeconds(3));
        bench.forget();
        bench.pass(Duration.ofSeconds(12));
        assertThat(bench.all(Action.SendRenew.class))
                .isNotEmpty()
                .allMatch(sent -> sent.duration().equals(Duration.ofSeconds(3)));
    }

    @Test
    void whoIsServedFromAShorterLeaseHasItRenewedFirst() {
        Hold first = bench.held(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3)));
        Caller nightly = bench.joins(NIGHTLY);
        bench.ends(first);
        bench.all(Action.SendRelease.class).forEach(sent -> bench.released(sent.lease()));
        if (bench.has(Action.SendClaim.class)) {
            Claim claim = bench.claim();
            assertThat(claim.lease()).isEqualTo(AT_LEAST);
            bench.grants(claim);
        } else {
            Action.SendRenew renewal = bench.renewal();
            assertThat(renewal.duration()).isEqualTo(AT_LEAST);
            bench.renewed(renewal.lease(), AT_LEAST);
        }
        bench.given(nightly);
    }

    @Test
    void whoLosesItsHoldByMaxHoldLeavesTheLockTakenForTheRest() {
        Hold hold = bench.held(NIGHTLY.withMaxHold(Duration.ofSeconds(10)));
        LeaseId lease = null;
        while (hold.state(bench.now()).isValid()) {
            bench.passToNextDue();
            for (Action.SendRenew sent : bench.all(Action.SendRenew.class)) {
                lease = sent.lease();
                bench.renewed(sent.lease(), sent.duration());
            }
        }
        assertThat(lease).isNotNull();
        assertThat(bench.one(Action.SendRelease.class).keepFor())
                .isBetween(Duration.ofSeconds(19), Duration.ofSeconds(21));
    }
}
