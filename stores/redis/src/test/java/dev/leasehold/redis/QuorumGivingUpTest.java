package dev.leasehold.redis;

import static dev.leasehold.redis.SimulatedQuorum.FAR;
import static dev.leasehold.redis.SimulatedQuorum.HELD_UP;
import static dev.leasehold.redis.SimulatedQuorum.NEAR;
import static dev.leasehold.redis.SimulatedQuorum.NODE_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A claim that is withdrawn in the middle of something leaves nothing before the quorum, and hears nothing any more; on
 * virtual time.
 */
class QuorumGivingUpTest {

    /**
     * Found by reading, after one of 32 contenders had waited for five seconds: the ballot that queues was sent when the inbox
     * was open at last, and its attempt had been withdrawn before. It then had the node for itself until it was withdrawn again.
     */
    @Test
    void aBallotBehindTheInboxIsNotSentOnceWithdrawn() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        CompletableFuture<String> inbox = new CompletableFuture<>();
        Client holder = quorum.client("holder", node -> NEAR);
        Client waiter = quorum.client("waiter", node -> NEAR, node -> inbox);
        holder.hold("lock");
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        waiter.withdraw("lock");
        quorum.pass(10 * NEAR);
        inbox.complete("open");
        quorum.pass(10 * NEAR);
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("holder:") && state.endsWith("[]"));
    }

    /** Otherwise the caller would never get an answer. */
    @Test
    void aFaultOfOursFailsThoseWhoAsk() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR);
        boolean[] fault = {true};
        Client waiter = quorum.client("waiter", node -> NEAR, node -> {
            if (fault[0]) {
                throw new IllegalStateException("a fault of the test");
            }
            return CompletableFuture.completedFuture("open");
        });
        holder.hold("lock");
        CompletableFuture<ClaimAnswer> asked = waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        assertThat(asked).isCompletedExceptionally();
        fault[0] = false;
        assertThat(quorum.answer(waiter.waitFor("lock"))).isInstanceOf(ClaimAnswer.Busy.class);
    }

    /** Otherwise the nodes that had not said yes would have it after the withdrawal, and keep it for a lease. */
    @Test
    void aClaimGivenUpBeforeItAsksAgainAsksNobody() {
        SimulatedQuorum quorum = new SimulatedQuorum(4);
        Client even = quorum.client("even", node -> node % 2 == 0 ? NEAR : FAR);
        Client odd = quorum.client("odd", node -> node % 2 == 1 ? NEAR : FAR);
        String lock = IntStream.range(0, 100)
                .mapToObj(i -> "lock-" + i)
                .filter(name -> quorum.gate(name) % 2 == 1)
                .findFirst()
                .orElseThrow();
        even.claim(lock);
        quorum.pass(NEAR / 2);
        odd.claim(lock);
        quorum.pass(2 * FAR + NEAR / 4);
        assertThat(quorum.states(lock)).noneMatch(state -> state.startsWith("free"));
        even.withdraw(lock);
        odd.withdraw(lock);
        quorum.pass(100 * NEAR);
        assertThat(quorum.states(lock)).allMatch(state -> state.startsWith("free"));
    }

    /** Otherwise a client that gives up often would pass a slow gate, and all waiters there. */
    @Test
    void aClaimGivenUpCountsNothingAgainstALateGate() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        int gate = quorum.gate("lock");
        boolean[] slow = {false};
        List<Integer> sent = new ArrayList<>();
        Client client = quorum.client("client", node -> {
            sent.add(node);
            return node == gate && slow[0] ? HELD_UP : NEAR;
        });
        slow[0] = true;
        for (int i = 0; i < 5; i++) {
            client.claim("lock");
            quorum.pass(3 * NEAR);
            client.withdraw("lock");
            quorum.pass(2 * NODE_TIMEOUT.toNanos());
        }
        slow[0] = false;
        sent.clear();
        client.claim("lock");
        assertThat(sent).startsWith(gate);
    }

    /** Otherwise its attempt would begin after its withdrawal, and keep the lock for a lease. */
    @Test
    void aClaimGivenUpAtFirstAsksTheNodesForNothing() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client newcomer = quorum.newcomer("newcomer", node -> NEAR);
        newcomer.claim("lock");
        quorum.pass(NEAR / 2);
        newcomer.withdraw("lock");
        quorum.pass(3 * NODE_TIMEOUT.toNanos());
        assertThat(newcomer.attempts()).isZero();
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("free"));
    }

    /** Otherwise the answers to a ballot that it has taken back would make a lease. */
    @Test
    void aClaimGivenUpIsNotGrantedByLateAnswers() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client client = quorum.client("client", node -> NEAR);
        client.claim("lock");
        quorum.pass(3 * NEAR / 2);
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("client:"));
        client.withdraw("lock");
        quorum.pass(100 * NEAR);
        assertThat(client.unasked()).isEmpty();
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("free"));
    }

    /** Otherwise it would collect a lock that it does not want any more, and keep it for a lease. */
    @Test
    void aClaimGivenUpBeforeItsTurnCollectsNothing() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR / 2);
        Client waiter = quorum.client("waiter", node -> NEAR);
        LeaseId lease = holder.hold("lock");
        long before = waiter.attempts();
        waiter.waitFor("lock");
        for (int i = 0; i < 100 && waiter.attempts() < before + 2; i++) {
            quorum.pass(NEAR / 10);
        }
        holder.release(lease);
        quorum.pass(3 * NEAR / 2);
        assertThat(quorum.states("lock").get(quorum.gate("lock"))).startsWith("waiter:" + (before + 2));
        waiter.withdraw("lock");
        quorum.pass(100 * NEAR);
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("free"));
    }

    @Test
    void aClaimGivenUpBetweenAttemptsMakesNoOther() {
        SimulatedQuorum quorum = new SimulatedQuorum(5);
        int gate = quorum.gate("lock");
        Client one = quorum.client("one", node -> (node - gate + 5) % 5 <= 2 ? NEAR : FAR);
        Client other = quorum.client("other", node -> (node - gate + 5) % 5 <= 2 ? FAR : NEAR);
        quorum.master(gate).goDown();
        List<CompletableFuture<ClaimAnswer>> answers = List.of(one.claim("lock"), other.claim("lock"));
        quorum.pass(NODE_TIMEOUT.toNanos() + 10 * FAR);
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        assertThat(quorum.queues("lock")).containsOnly("[]");
        assertThat(quorum.states("lock")).allMatch(state -> state.matches("(free|down).*"));
        one.withdraw("lock");
        other.withdraw("lock");
        long before = one.attempts() + other.attempts();
        quorum.pass(10 * NODE_TIMEOUT.toNanos());
        assertThat(one.attempts() + other.attempts()).isEqualTo(before);
    }
}
