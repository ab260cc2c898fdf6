package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store whose stages never complete: not even with a failure. */
class LocalQueueSilentStoreTest {

    private static final Duration TWICE = LocalQueueHarness.PATIENCE.multipliedBy(2);

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void afterTwiceTheStoreTimeoutAClaimWithoutAnyAnswerIsWithdrawnForWhoComesNext() {
        bench.joins();
        Claim first = bench.claim();
        bench.pass(TWICE.minusMillis(1));
        assertThat(bench.one(Action.Fail.class).failure()).hasMessageContaining("did not answer");
        Caller second = bench.joins();
        bench.none(Action.SendClaim.class);
        bench.pass(Duration.ofSeconds(1));
        Claim again = bench.claim();
        assertThat(bench.withdrawal()).isEqualTo(first.id());
        bench.grants(again);
        assertThat(bench.given(second).token()).isPositive();
    }

    @Test
    void aClaimThatNobodyWaitsForAnyMoreIsWithdrawnAndTheNameIsFreeAgain() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.leaves(caller);
        bench.none(Action.SendWithdraw.class);
        bench.pass(TWICE);
        assertThat(bench.withdrawal()).isEqualTo(claim.id());
        bench.withdrawn(claim.id());
        bench.isIdle();
    }

    @Test
    void aReleaseWithoutAnyAnswerDoesNotKeepTheNextCallerFromAsking() {
        Hold hold = bench.held(LocalQueueHarness.DEFAULTS);
        bench.ends(hold);
        LeaseId released = bench.release();
        bench.pass(TWICE.minusMillis(1));
        bench.joins();
        bench.none(Action.SendClaim.class);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.claim().lock()).isEqualTo("lock");
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.release()).isEqualTo(released);
    }
}
