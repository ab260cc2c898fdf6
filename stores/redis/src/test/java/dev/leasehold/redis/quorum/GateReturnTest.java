package dev.leasehold.redis.quorum;

import static dev.leasehold.redis.SimulatedQuorum.HELD_UP;
import static dev.leasehold.redis.SimulatedQuorum.LEASE;
import static dev.leasehold.redis.SimulatedQuorum.NEAR;
import static dev.leasehold.redis.SimulatedQuorum.NODE_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedQuorum;
import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.WaitingRules;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiter that queues at another gate, because the right one was silent, returns to the right one, on virtual time. */
class GateReturnTest {

    private static final long ASK_EVERY = WaitingRules.askEvery(LEASE).toNanos();
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

    @Test
    void aWaiterAtAnotherGateReturnsWhenItAsksAgain() {
        Client holder = holder();
        Client waiter = waiter();
        LeaseId lease = holder.hold("lock");
        waitsElsewhere(waiter);
        silent = false;
        holder.renew(lease, LEASE);
        quorum.pass(ASK_EVERY);
        assertThat(quorum.queues("lock").get(gate))
                .as("nothing has asked it yet")
                .isEqualTo("[]");
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
        assertThat(queuesWith("waiter")).hasSize(1);
    }

    /** The question was on its way, as one that waits for a connection is. */
    @Test
    void aWaiterReturnsAsSoonAsALateAnswerArrives() {
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        waitsElsewhere(waiter);
        quorum.forgetWhatWasHeldUp();
        waiter.waitFor("lock");
        quorum.pass(ASK_EVERY);
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        assertThat(quorum.heldUp())
                .as("one question, however often it is asked again")
                .hasSize(1);
        silent = false;
        quorum.letGo();
        quorum.pass(10 * NEAR);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
        assertThat(queuesWith("waiter")).hasSize(1);
    }

    /** A question that is lost must not be the last one. The client has never heard of the gate, so nothing else can tell it. */
    @Test
    void aWaiterAsksOnceMoreWhereAQuestionWasLost() {
        Client holder = holder();
        LeaseId lease = holder.hold("lock");
        silent = true;
        Client waiter = quorum.newcomer("waiter", node -> node == gate && silent ? HELD_UP : NEAR);
        waitsElsewhere(waiter);
        quorum.forgetWhatWasHeldUp();
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        assertThat(quorum.heldUp()).hasSize(1);
        quorum.forgetWhatWasHeldUp();
        silent = false;
        for (long passed = 0; passed <= LEASE.toNanos(); passed += ASK_EVERY) {
            holder.renew(lease, LEASE);
            quorum.pass(ASK_EVERY);
            waiter.waitFor("lock");
        }
        quorum.pass(10 * NEAR);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
    }

    private void waitsElsewhere(Client waiter) {
        silent = true;
        waiter.waitFor("lock");
        while (queuesWith("waiter").isEmpty()) {
            quorum.pass(NEAR);
        }
        quorum.pass(10 * NEAR);
        assertThat(quorum.queues("lock").get(gate)).isEqualTo("[]");
    }

    @Test
    void aWaiterThatHasReturnedReturnsAsSoonTheNextTime() {
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
            quorum.pass(10 * NEAR);
            waiter.waitFor("lock");
            quorum.pass(10 * NEAR);
            assertThat(quorum.queues("lock").get(gate)).contains("waiter");
            assertThat(queuesWith("waiter")).hasSize(1);
        }
    }

    /** It has never heard of that node, so it does not know that this is the gate. */
    @Test
    void aWaiterFindsAGateThatWasDownWhenItsClientBegan() {
        Client holder = holder();
        LeaseId lease = holder.hold("lock");
        silent = true;
        Client waiter = quorum.newcomer("waiter", node -> node == gate && silent ? HELD_UP : NEAR);
        waitsElsewhere(waiter);
        quorum.forgetWhatWasHeldUp();
        silent = false;
        holder.renew(lease, LEASE);
        quorum.pass(ASK_EVERY);
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
        assertThat(queuesWith("waiter")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void aWaiterThatGivesUpOnItsWayBackDoesNotArrive(int near) {
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        waitsElsewhere(waiter);
        quorum.forgetWhatWasHeldUp();
        silent = false;
        waiter.waitFor("lock");
        quorum.pass(near * NEAR);
        waiter.withdraw("lock");
        quorum.pass(NODE_TIMEOUT.toNanos());
        assertThat(quorum.queues("lock")).containsOnly("[]");
    }

    /** Found by a reviewer: a waiter learned of it only when a question of its own was answered. */
    @Test
    void aWaiterReturnsWhereAnotherLockHasHeardOfTheGate() {
        quorum.master((gate + 1) % 5).goDown();
        Client holder = holder();
        Client waiter = waiter();
        holder.hold("lock");
        waitsElsewhere(waiter);
        quorum.forgetWhatWasHeldUp();
        silent = false;
        waiter.claim("yet-another");
        quorum.pass(10 * NEAR);
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        assertThat(quorum.queues("lock").get(gate)).contains("waiter");
        assertThat(queuesWith("waiter")).hasSize(1);
    }

    /** Found by a reviewer: a waiter went there four times a second, and each time queued behind all others. */
    @ParameterizedTest
    @ValueSource(longs = {1, 3, 30})
    void aGateThatRefusesWaitersDoesNotDriveThemToAndFro(long near) {
        CompletableFuture<String> refused = CompletableFuture.failedFuture(new IllegalStateException("no inbox"));
        Client holder = holder();
        Client waiter = quorum.client(
                "waiter",
                node -> node == gate ? near * NEAR : NEAR,
                node -> node == gate ? refused : CompletableFuture.completedFuture(""));
        assertThat(attemptsInAWait(holder, waiter, () -> {})).isLessThan(3 * ASKED);
    }

    /** The gate is slower than its limit: its late answers make it a gate each time. */
    @ParameterizedTest
    @ValueSource(longs = {4, 6, 8})
    void aGateThatIsTooSlowDoesNotDriveWaitersToAndFro(long limits) {
        boolean[] slow = {false};
        Client holder = holder();
        Client waiter =
                quorum.client("waiter", node -> node == gate && slow[0] ? limits * NODE_TIMEOUT.toNanos() / 2 : NEAR);
        assertThat(attemptsInAWait(holder, waiter, () -> slow[0] = true)).isLessThan(3 * ASKED);
    }

    /** Counts a waiter's attempts in a hundred seconds. It asks again every three: it may then try the gate, and go elsewhere. */
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

    /** Silence was forgiven by the clock; a waiter that then returned in vain queued behind all others. */
    @Test
    void aWaiterKeepsItsPlaceWhileTheRightGateIsDown() {
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
    }

    /** Found by a reviewer: unanswered questions about other locks were enough to leave it. */
    @Test
    void aWaiterLeavesTheRightGateOnlyIfItIsNotAnswered() {
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
