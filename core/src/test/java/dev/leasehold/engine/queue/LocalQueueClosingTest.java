package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import org.junit.jupiter.api.Test;

/** A client that closes leaves nothing in the store and nobody waiting. */
class LocalQueueClosingTest {

    private final LocalQueueHarness bench = new LocalQueueHarness();

    @Test
    void waitingCallersFailAndTheClaimIsWithdrawn() {
        Caller caller = bench.joins();
        Claim claim = bench.claim();
        bench.busy(claim);
        bench.close();
        assertThat(bench.failed(caller)).isInstanceOf(IllegalStateException.class);
        bench.withdrawn(bench.withdrawal());
        bench.isIdle();
    }

    @Test
    void aHoldGoesOnUntilItsHolderEndsIt() {
        Hold hold = bench.held();
        bench.close();
        bench.none(Action.SendRelease.class);
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.HELD);
        bench.ends(hold);
        LeaseId lease = bench.release();
        bench.released(lease);
        bench.one(Action.Settle.class);
        bench.isIdle();
    }

    @Test
    void aHoldThatDoesNotEndIsLostAndItsLeaseIsLeftToTheStore() {
        Hold hold = bench.held();
        bench.close();
        bench.abandon();
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.LOST);
        assertThat(bench.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        assertThat(bench.one(Action.Settle.class).state()).isEqualTo(LeaseState.LOST);
        bench.one(Action.Abandon.class);
        bench.none(Action.SendRelease.class);
        bench.isIdle();
    }

    @Test
    void whatItsHolderHasJustEndedIsGivenBackAndNotAbandoned() {
        Hold hold = bench.held();
        bench.close();
        assertThat(hold.end(bench.now())).isTrue();
        bench.abandon();
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.RELEASED);
        bench.released(bench.release());
        bench.isIdle();
    }

    @Test
    void aHoldIsNotHandedOver() {
        Hold hold = bench.held();
        Caller next = bench.joins();
        bench.close();
        bench.failed(next);
        bench.none(Action.Give.class);
        bench.ends(hold);
        bench.release();
    }

    @Test
    void aGrantThatIsOnItsWayIsReleased() {
        bench.joins();
        Claim claim = bench.claim();
        bench.close();
        bench.forget();
        LeaseId lease = bench.grants(claim);
        bench.none(Action.Give.class);
        assertThat(bench.release()).isEqualTo(lease);
        bench.released(lease);
        bench.isIdle();
    }

    @Test
    void nobodyJoinsAnyMore() {
        bench.close();
        assertThat(bench.failed(bench.joins())).isInstanceOf(IllegalStateException.class);
        bench.none(Action.SendClaim.class);
        bench.isIdle();
    }

    @Test
    void closingTwiceIsClosingOnce() {
        Hold hold = bench.held();
        bench.close();
        bench.close();
        bench.ends(hold);
        bench.release();
        bench.none(Action.SendRelease.class);
    }
}
