package dev.leasehold.redis.quorum;

import static dev.leasehold.redis.SimulatedQuorum.HELD_UP;
import static dev.leasehold.redis.SimulatedQuorum.LEASE;
import static dev.leasehold.redis.SimulatedQuorum.NEAR;
import static dev.leasehold.redis.SimulatedQuorum.NODE_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedQuorum;
import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.LeaseId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who stands at another gate, because the right one was silent: when it goes back, and when not; on virtual time. */
class GateProbeTest {

    private static final long SOON = 1_500_000_000L;
    private static final int ASKED = 33;

    private final SimulatedQuorum quorum = new SimulatedQuorum(5);
    private final int gate = quorum.gate("lock");
    private boolean silent;

    private Client holder() {
        return quorum.client("holder", node -> NEAR);
    }

    /** Neither hears of the gate nor is heard by it, as long as that is silent. */
    private Client waiter() {
        return quorum.client("waiter", node -> node == gate && silent ? HELD_UP : NEAR);
    }

    private List<String> queuesWith(String client) {
        return quorum.queues("lock").stream()
                .filter(queue -> queue.contains(client))
                .toList();
    }

    /** Else it waits there, past those who have never missed the right one, until it asks again: for five seconds. */
    @Test
    void whoWaitsAtAnotherGateGoesBackToTheRightOneAsSoonAsThatAnswers() {
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        silent = true;
        waiter.waitFor("lock");
        while (queuesWith("waiter").isEmpty()) {
            quorum.pass(NEAR);
        }
        assertThat(quorum.queues("lock").get(gate)).isEqualTo("[]");
        quorum.heldUp().clear();
        quorum.pass(NODE_TIMEOUT.toNanos());
        assertThat(quorum.heldUp()).as("one question whether it is back").hasSize(1);
        silent = false;
        quorum.letGo();
        quorum.pass(SOON);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
        assertThat(queuesWith("waiter")).hasSize(1);
    }

    @Test
    void whoHasComeBackToTheGateIsAsQuickTheNextTime() {
        Client holder = holder();
        Client waiter = waiter();
        LeaseId lease = holder.hold("lock");
        for (int i = 0; i < 5; i++) {
            silent = true;
            waiter.waitFor("lock");
            quorum.pass(5 * NODE_TIMEOUT.toNanos());
            assertThat(queuesWith("waiter"))
                    .as("both, as long as the gate does not hear of the withdrawal")
                    .hasSize(i == 0 ? 1 : 2);
            silent = false;
            quorum.letGo();
            holder.renew(lease, LEASE);
            quorum.pass(SOON);
            assertThat(quorum.queues("lock").get(gate)).contains("waiter");
            assertThat(queuesWith("waiter")).hasSize(1);
        }
    }

    @Test
    void whoGivesUpOnTheWayBackDoesNotArrive() {
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        silent = true;
        waiter.waitFor("lock");
        quorum.pass(5 * NODE_TIMEOUT.toNanos());
        silent = false;
        waiter.claim("yet-another");
        quorum.pass(10 * NEAR);
        waiter.withdraw("lock");
        quorum.pass(SOON);
        assertThat(quorum.queues("lock")).containsOnly("[]");
    }

    /** Found by a reviewer: those who waited were told only when a question of their own was answered. */
    @Test
    void whoWaitsAtAnotherGateGoesBackAlsoWhereAThirdIsDownAndSomethingElseIsAnsweredFirst() {
        quorum.master((gate + 1) % 5).goDown();
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        silent = true;
        waiter.waitFor("lock");
        quorum.pass(5 * NODE_TIMEOUT.toNanos());
        assertThat(queuesWith("waiter")).hasSize(1);
        silent = false;
        waiter.claim("yet-another");
        quorum.pass(SOON);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
    }

    /** Found by a reviewer: it went there four times a second, and each time came to stand behind all others. */
    @Test
    void whoCannotWaitAtAGateThatAnswersOtherQuestionsIsNotDrivenToAndFro() {
        CompletableFuture<String> refused = CompletableFuture.failedFuture(new IllegalStateException("no inbox"));
        Client holder = holder();
        Client waiter = quorum.client(
                "waiter", node -> NEAR, node -> node == gate ? refused : CompletableFuture.completedFuture(""));
        assertThat(attemptsInAWait(holder, waiter, () -> {})).isLessThan(3 * ASKED);
    }

    /** The same where the gate is slower than its limit: its late answers make it a gate each time. */
    @ParameterizedTest
    @ValueSource(longs = {4, 6, 8})
    void whoWaitsForAGateThatIsTooSlowIsNotDrivenToAndFro(long limits) {
        boolean[] slow = {false};
        Client holder = holder();
        Client waiter =
                quorum.client("waiter", node -> node == gate && slow[0] ? limits * NODE_TIMEOUT.toNanos() / 2 : NEAR);
        assertThat(attemptsInAWait(holder, waiter, () -> slow[0] = true)).isLessThan(3 * ASKED);
    }

    /** How many attempts a waiter makes in a hundred seconds, asking again every three: it may then try the gate, and go elsewhere. */
    private int attemptsInAWait(Client holder, Client waiter, Runnable before) {
        LeaseId lease = holder.hold("lock");
        before.run();
        long soFar = waiter.attempts();
        for (int i = 0; i < ASKED; i++) {
            waiter.waitFor("lock");
            holder.renew(lease, LEASE);
            quorum.pass(3 * NODE_TIMEOUT.toNanos());
        }
        return (int) (waiter.attempts() - soFar);
    }

    /** Silence was forgiven by the clock; whoever then went back in vain came to stand behind all others. */
    @Test
    void whoWaitsAtAnotherGateKeepsItsPlaceAsLongAsTheRightOneIsDown() {
        Client holder = holder();
        Client first = quorum.client("first", node -> NEAR);
        Client second = quorum.client("second", node -> NEAR);
        holder.hold("lock");
        quorum.master(quorum.gate("lock")).goDown();
        first.waitFor("lock");
        quorum.pass(NODE_TIMEOUT.toNanos() / 2);
        second.waitFor("lock");
        quorum.pass(4 * NODE_TIMEOUT.toNanos());
        List<String> before = quorum.queues("lock");
        assertThat(before)
                .filteredOn(queue -> queue.matches("\\[first:\\S+, second:\\S+]"))
                .hasSize(1);
        for (int i = 0; i < 2; i++) {
            quorum.pass(3 * NODE_TIMEOUT.toNanos() / 2);
            first.waitFor("lock");
        }
        quorum.pass(NODE_TIMEOUT.toNanos());
        assertThat(quorum.queues("lock")).isEqualTo(before);
        first.withdraw("lock");
        second.withdraw("lock");
        quorum.pass(GateProbe.EVERY.toNanos());
        int soFar = quorum.looks();
        quorum.pass(4 * GateProbe.EVERY.toNanos());
        assertThat(quorum.looks()).as("nobody waits any more").isEqualTo(soFar);
    }

    /** Found by a reviewer: what other locks' questions missed was enough to leave it. */
    @Test
    void whoWaitsAtTheRightGateLeavesItOnlyIfThatDoesNotAnswerIt() {
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        List<String> before = quorum.queues("lock");
        assertThat(before.get(gate)).contains("waiter");
        silent = true;
        IntStream.range(0, 40)
                .mapToObj(i -> "other-" + i)
                .filter(other -> quorum.gate(other) == gate)
                .forEach(other -> waiter.claim(other));
        quorum.pass(2 * NODE_TIMEOUT.toNanos());
        silent = false;
        waiter.waitFor("lock");
        quorum.pass(2 * NODE_TIMEOUT.toNanos());
        assertThat(quorum.queues("lock")).isEqualTo(before);
    }
}
