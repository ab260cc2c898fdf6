package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A client that closes leaves nothing in the store and nobody waiting. */
class LocalQueueClosingTest {

    private final LocalQueueHarness harness = new LocalQueueHarness();

    @Test
    void waitingCallersFailAndTheClaimIsWithdrawn() {
        Caller caller = harness.joins();
        Claim claim = harness.claim();
        harness.busy(claim);
        harness.close();
        assertThat(harness.failed(caller)).isInstanceOf(IllegalStateException.class);
        harness.withdrawn(harness.withdrawal());
        harness.isIdle();
    }

    @Test
    void aHoldGoesOnUntilItsHolderEndsIt() {
        Hold hold = harness.held();
        harness.close();
        harness.none(Action.SendRelease.class);
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.HELD);
        harness.ends(hold);
        LeaseId lease = harness.release();
        harness.released(lease);
        harness.one(Action.Settle.class);
        harness.isIdle();
    }

    @Test
    @DisplayName("A hold that does not end is lost and its lease is left to the store")
    void anEndlessHoldIsLostAndItsLeaseLeft() {
        Hold hold = harness.held();
        harness.close();
        harness.abandon();
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.Announce.class).state()).isEqualTo(LeaseState.LOST);
        assertThat(harness.one(Action.Settle.class).state()).isEqualTo(LeaseState.LOST);
        harness.one(Action.Abandon.class);
        harness.none(Action.SendRelease.class);
        harness.isIdle();
    }

    @Test
    @DisplayName("A lease that its holder has just ended is given back and not abandoned")
    void whatItsHolderHasJustEndedIsNotAbandoned() {
        Hold hold = harness.held();
        harness.close();
        assertThat(hold.end(harness.now())).isTrue();
        harness.abandon();
        assertThat(hold.state(harness.now())).isEqualTo(LeaseState.RELEASED);
        harness.released(harness.release());
        harness.isIdle();
    }

    @Test
    void aHoldIsNotHandedOver() {
        Hold hold = harness.held();
        Caller next = harness.joins();
        harness.close();
        harness.failed(next);
        harness.none(Action.Give.class);
        harness.ends(hold);
        harness.release();
    }

    @Test
    void aGrantThatIsOnItsWayIsReleased() {
        harness.joins();
        Claim claim = harness.claim();
        harness.close();
        harness.forget();
        LeaseId lease = harness.grants(claim);
        harness.none(Action.Give.class);
        assertThat(harness.release()).isEqualTo(lease);
        harness.released(lease);
        harness.isIdle();
    }

    @Test
    void nobodyJoinsAnyMore() {
        harness.close();
        assertThat(harness.failed(harness.joins())).isInstanceOf(IllegalStateException.class);
        harness.none(Action.SendClaim.class);
        harness.isIdle();
    }

    @Test
    void closingTwiceIsClosingOnce() {
        Hold hold = harness.held();
        harness.close();
        harness.close();
        harness.ends(hold);
        harness.release();
        harness.none(Action.SendRelease.class);
    }
}
