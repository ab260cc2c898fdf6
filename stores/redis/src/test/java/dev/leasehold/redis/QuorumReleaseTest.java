package dev.leasehold.redis;

import static dev.leasehold.redis.SimulatedQuorum.HELD_UP;
import static dev.leasehold.redis.SimulatedQuorum.LEASE;
import static dev.leasehold.redis.SimulatedQuorum.NEAR;
import static dev.leasehold.redis.SimulatedQuorum.NODE_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A release before a quorum leaves nothing on any master, and says that it has released only what a majority has let go. */
@Tag("slow")
class QuorumReleaseTest {

    private final SimulatedQuorum quorum = new SimulatedQuorum(3);

    /** The delay to each master; a test changes it. */
    private final long[] delays = {NEAR, NEAR, NEAR};

    private final Client holder = quorum.client("holder", node -> delays[node]);

    private void assertThatAllAreFree() {
        List<String> states = quorum.states("lock");
        assertThat(states).hasSize(3).allMatch(state -> state.startsWith("free"));
    }

    /** The master took the lease again, and the client has not heard of it: otherwise it keeps the lease until its end. */
    @Test
    void aMasterThatIsNotKnownToHaveTheLeaseIsAskedToo() {
        LeaseId lease = holder.hold("lock");
        quorum.pass(10 * NEAR);
        quorum.master(2).handle(model -> model.breakLease("lock", lease.token()));
        CompletableFuture<RenewAnswer> renewed = holder.renew(lease, LEASE);
        quorum.pass(2 * NEAR + NEAR / 2);
        assertThat(renewed).isCompletedWithValueMatching(RenewAnswer.Renewed.class::isInstance);
        assertThat(quorum.states("lock").get(2)).startsWith("free");
        delays[2] = HELD_UP;
        quorum.pass(2 * NEAR);
        assertThat(quorum.heldUp()).as("the answer to the top-up").hasSize(1);
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("holder:"));
        delays[2] = NEAR;
        quorum.answer(holder.release(lease));
        quorum.pass(10 * NEAR);
        assertThatAllAreFree();
    }

    /** Otherwise the master keeps the lease until its end. */
    @Test
    void aReleaseThatAMasterDidNotHearIsRepeated() {
        LeaseId lease = holder.hold("lock");
        quorum.answer(holder.renew(lease, LEASE.multipliedBy(5)));
        quorum.pass(10 * NEAR);
        delays[2] = HELD_UP;
        assertThat(quorum.answer(holder.release(lease))).isEqualTo(ReleaseAnswer.RELEASED);
        // The release has failed there by then, and the request that repeats it is on its way.
        quorum.pass(LEASE.plus(NODE_TIMEOUT).toNanos());
        quorum.forgetWhatWasHeldUp();
        delays[2] = NEAR;
        assertThat(quorum.states("lock").get(2)).startsWith("holder:");
        quorum.pass(LEASE.plus(NODE_TIMEOUT).toNanos());
        assertThatAllAreFree();
    }

    /** Otherwise the holder believes that others can have the lock, and none can. */
    @Test
    void aReleaseThatOneMasterConfirmsIsNotReleased() {
        int gate = quorum.gate("lock");
        LeaseId lease = holder.hold("lock");
        quorum.pass(10 * NEAR);
        for (int node = 0; node < delays.length; node++) {
            delays[node] = node == gate ? NEAR : HELD_UP;
        }
        CompletableFuture<ReleaseAnswer> released = holder.release(lease);
        quorum.pass(NODE_TIMEOUT.toNanos() - NEAR);
        assertThat(quorum.states("lock").get(gate)).startsWith("free");
        assertThat(released).isNotDone();
        quorum.pass(2 * NEAR);
        assertThat(released)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
    }
}
