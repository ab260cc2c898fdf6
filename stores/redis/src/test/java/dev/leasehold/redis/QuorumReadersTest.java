package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * These tests are about readers and writers of one lock, each a client of its own, before three simulated masters: what a
 * single node keeps.
 */
@Tag("slow")
class QuorumReadersTest {

    private static final String LOCK = "x";

    private SimulatedQuorum quorum = new SimulatedQuorum(3);

    private Client client(String name) {
        return quorum.client(name, node -> SimulatedQuorum.NEAR);
    }

    private void keepFor(Client client, LeaseId lease, Duration duration) {
        for (long passed = 0; passed < duration.toNanos(); passed += SimulatedQuorum.LEASE.toNanos() / 3) {
            quorum.pass(SimulatedQuorum.LEASE.toNanos() / 3);
            assertThat(quorum.answer(client.renew(lease, SimulatedQuorum.LEASE)))
                    .isInstanceOf(RenewAnswer.Renewed.class);
        }
        quorum.pass(100 * SimulatedQuorum.NEAR);
    }

    /** Goes on with masters and clients that do not keep a rule. */
    private void without(QuorumRule rule) {
        quorum = new SimulatedQuorum(3, Set.of(rule));
    }

    private String state(int node) {
        return quorum.states(LOCK).get(node);
    }

    /** Its token is below the other's, which does not exclude it: only a writer's would speak against it. */
    @Test
    void aReaderIsToppedUpBesideALaterOne() {
        Client first = client("first");
        LeaseId early = first.read(LOCK);
        quorum.master(0).handle(ModelMaster::flush);
        keepFor(first, early, Duration.ofSeconds(50));
        assertThat(state(0)).startsWith("free");
        quorum.pass(Duration.ofSeconds(5).toNanos());
        assertThat(quorum.answer(first.renew(early, Duration.ofSeconds(60)))).isInstanceOf(RenewAnswer.Renewed.class);
        quorum.pass(Duration.ofSeconds(9).toNanos());
        Client second = client("second");
        LeaseId late = second.read(LOCK);
        quorum.pass(100 * SimulatedQuorum.NEAR);
        assertThat(late.token()).isGreaterThan(early.token());
        assertThat(state(0)).contains("readers after none", " " + late.token());

        assertThat(quorum.answer(first.renew(early, SimulatedQuorum.LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
        quorum.pass(SimulatedQuorum.LEASE.toNanos() / 3);

        assertThat(state(0)).contains(" " + late.token(), " " + early.token(), "last " + late.token() + "|0");
    }

    @Test
    void aWriterKeepsAReadersTopUpOut() {
        renewBelowAWriter();
        assertThat(state(0)).startsWith("free");
    }

    /** The simulator does not miss the rule, since a client offers nothing after the end of its lease. */
    @Test
    void aWriterKeepsNoTopUpOutWithoutTheRule() {
        without(QuorumRule.READERS_TOP_UP_ABOVE_EXCLUSIVE);
        LeaseId early = renewBelowAWriter();
        assertThat(state(0)).contains("readers", " " + early.token() + "]");
    }

    /** A reader renews a lease that one node has lost, and there a later writer has been. */
    private LeaseId renewBelowAWriter() {
        Client first = client("first");
        return renewAfterAFlush(first, first.read(LOCK), 1);
    }

    @Test
    void aWriterThatIsToppedUpIsAWriterThere() {
        Client first = client("first");
        LeaseId lease = first.hold(LOCK);
        renewAfterAFlush(first, lease, 0);
        assertThat(state(0)).contains(" " + lease.token() + " 0").doesNotContain("readers");
    }

    private LeaseId renewAfterAFlush(Client first, LeaseId early, long later) {
        quorum.master(0).handle(master -> {
            master.flush();
            // It writes a marker, and that is old enough for a vote.
            master.noVoteFor("");
            master.ageMarker(Duration.ofMinutes(5).toNanos() / 1000);
            master.setLast(LOCK, early.token() + later);
        });

        assertThat(quorum.answer(first.renew(early, SimulatedQuorum.LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
        quorum.pass(SimulatedQuorum.LEASE.toNanos() / 3);
        return early;
    }

    @Test
    void aFailedReaderLeavesTheTokensOfTheOthers() {
        Client other = client("other");
        LeaseId lease = client("reader").read(LOCK);
        quorum.pass(100 * SimulatedQuorum.NEAR);
        // Two of the three are down, so an attempt gets the one that is left, and fails.
        quorum.master(1).goDown();
        quorum.master(2).goDown();
        other.tryRead(LOCK);
        quorum.pass(10 * SimulatedQuorum.NEAR);
        assertThat(state(0)).contains("other").doesNotContain("last " + lease.token());
        quorum.pass(3 * SimulatedQuorum.NODE_TIMEOUT.toNanos());

        assertThat(state(0)).contains(" " + lease.token() + "]", "last " + lease.token() + "|0");
    }

    @Test
    void aReaderThatOnlyTriesIsRefusedBesideAWaitingWriter() {
        assertThat(tryBesideAWaitingWriter()).isInstanceOf(ClaimAnswer.Busy.class);
        quorum.pass(100 * SimulatedQuorum.NEAR);
        assertThat(quorum.states(LOCK)).noneMatch(state -> state.contains("late"));
    }

    @Test
    void aReaderPassesAWaitingWriterWithoutTheRule() {
        without(QuorumRule.BUSY_GATE_FAILS_READERS);
        assertThat(tryBesideAWaitingWriter()).isInstanceOf(ClaimAnswer.Granted.class);
    }

    private ClaimAnswer tryBesideAWaitingWriter() {
        Client reader = client("reader");
        reader.read(LOCK);
        Client writer = client("writer");
        assertThat(quorum.answer(writer.waitFor(LOCK))).isInstanceOf(ClaimAnswer.Busy.class);
        quorum.pass(Duration.ofSeconds(1).toNanos());

        return quorum.answer(client("late").tryRead(LOCK));
    }
}
