package dev.leasehold.redis;

import static dev.leasehold.redis.SimulatedQuorum.LEASE;
import static dev.leasehold.redis.SimulatedQuorum.NEAR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests show what a client sends to the masters, on virtual time: what it need not, and what it must not yet. */
@Tag("slow")
class QuorumMessagesTest {

    private final SimulatedQuorum quorum = new SimulatedQuorum(3);

    /** The delay to each master; a test changes it. */
    private final long[] delays = {NEAR, NEAR, NEAR};

    /** Otherwise a lease that was broken at a majority takes a master again for a moment, and others are refused. */
    @Test
    void aLeaseIsOfferedOnlyOnceAMajorityHasConfirmed() {
        Client holder = quorum.client("holder", node -> delays[node]);
        LeaseId lease = holder.hold("lock");
        quorum.pass(10 * NEAR);
        quorum.master(0).handle(model -> model.breakLease("lock", lease.token()));
        quorum.master(1).handle(model -> model.breakLease("lock", lease.token()));
        delays[1] = 10 * NEAR;
        CompletableFuture<RenewAnswer> renewed = holder.renew(lease, LEASE);
        quorum.pass(5 * NEAR);
        assertThat(renewed).isNotDone();
        assertThat(quorum.states("lock").get(0)).startsWith("free");
        quorum.pass(30 * NEAR);
        assertThat(renewed).isCompletedWithValueMatching(RenewAnswer.Lost.class::isInstance);
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("free"));
    }

    /** Otherwise a master that had lost it, and says so late, is taken by a lease that was released meanwhile. */
    @Test
    void aLeaseThatIsOverIsOfferedNoMore() {
        Client holder = quorum.client("holder", node -> delays[node]);
        LeaseId lease = holder.hold("lock");
        quorum.pass(10 * NEAR);
        quorum.master(0).handle(model -> model.breakLease("lock", lease.token()));
        delays[0] = 15 * NEAR;
        CompletableFuture<RenewAnswer> renewed = holder.renew(lease, LEASE);
        quorum.pass(5 * NEAR);
        assertThat(renewed).isCompletedWithValueMatching(RenewAnswer.Renewed.class::isInstance);
        CompletableFuture<ReleaseAnswer> released = holder.release(lease);
        for (int i = 0; i < 40; i++) {
            quorum.pass(2 * NEAR);
            assertThat(quorum.states("lock").get(0)).startsWith("free");
        }
        assertThat(released).isCompletedWithValue(ReleaseAnswer.RELEASED);
    }

    /** Otherwise the others refuse the first proposal, because it is too far ahead of their clocks. */
    @Test
    void aClockFarAheadCostsNoRoundTrip() {
        quorum.master(2).setClock(40_000_000);
        Client client = quorum.client("client", node -> NEAR);
        CompletableFuture<ClaimAnswer> asked = client.claim("lock");
        quorum.pass(2 * NEAR);
        assertThat(asked).isCompletedWithValueMatching(ClaimAnswer.Granted.class::isInstance);
    }
}
