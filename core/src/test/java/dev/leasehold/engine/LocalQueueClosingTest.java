package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import org.junit.jupiter.api.Test;

/** A client that closes leaves nothing in the store and nobody waiting. */
class LocalQueueClosingTest {

    private final Bench bench = new Bench();

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
    void aHoldIsReleased() {
        Hold hold = bench.held();
        bench.close();
        LeaseId lease = bench.release();
        assertThat(hold.state(bench.now())).isEqualTo(LeaseState.RELEASED);
        bench.released(lease);
        bench.one(Action.Settle.class);
        bench.isIdle();
    }

    @Test
    void aHoldIsNotHandedOver() {
        bench.held();
        Caller next = bench.joins();
        bench.close();
        bench.failed(next);
        bench.none(Action.Give.class);
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
        bench.held();
        bench.close();
        bench.close();
        bench.release();
        bench.none(Action.SendRelease.class);
    }
}
