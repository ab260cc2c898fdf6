package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about a store whose stages never complete: not even with a failure. */
class LocalQueueSilentStoreTest {

    private static final Duration TWICE = LocalQueueHarness.STORE_TIMEOUT.multipliedBy(2);

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    @DisplayName("After twice the store timeout a claim without any answer is withdrawn, for the next caller")
    void aClaimWithoutAnyAnswerIsWithdrawn() {
        harness.joins();
        Claim first = harness.claim();
        harness.pass(TWICE.minusMillis(1));
        assertThat(harness.one(Action.Fail.class).failure()).hasMessageContaining("did not answer");
        Caller second = harness.joins();
        harness.none(Action.SendClaim.class);
        harness.pass(Duration.ofSeconds(1));
        Claim again = harness.claim();
        assertThat(harness.withdrawal()).isEqualTo(first.id());
        harness.grants(again);
        assertThat(harness.given(second).token()).isPositive();
    }

    @Test
    @DisplayName("A claim that nobody waits for any more is withdrawn, and the name is free again")
    void aClaimThatNobodyWaitsForIsWithdrawn() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.leaves(caller);
        harness.none(Action.SendWithdraw.class);
        harness.pass(TWICE);
        assertThat(harness.withdrawal()).isEqualTo(claim.id());
        harness.withdrawn(claim.id());
        harness.isIdle();
    }

    @Test
    @DisplayName("A release without any answer does not keep the next caller from asking")
    void anUnansweredReleaseLetsTheNextCallerAsk() {
        Hold hold = harness.held(LocalQueueHarness.DEFAULTS);
        harness.ends(hold);
        LeaseId released = harness.release();
        harness.pass(TWICE.minusMillis(1));
        harness.joins();
        harness.none(Action.SendClaim.class);
        harness.pass(Duration.ofMillis(1));
        assertThat(harness.claim().lock()).isEqualTo("lock");
        harness.pass(Duration.ofSeconds(1));
        assertThat(harness.release()).isEqualTo(released);
    }
}
