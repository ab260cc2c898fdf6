package dev.leasehold.redis;

import static dev.leasehold.redis.SimulatedQuorum.FAR;
import static dev.leasehold.redis.SimulatedQuorum.HELD_UP;
import static dev.leasehold.redis.SimulatedQuorum.HORIZON;
import static dev.leasehold.redis.SimulatedQuorum.LEASE;
import static dev.leasehold.redis.SimulatedQuorum.NEAR;
import static dev.leasehold.redis.SimulatedQuorum.NODE_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedQuorum.Client;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * These tests are about answers of a quorum that come in an awkward order, on virtual time: as the contract on real masters
 * sees them now and then.
 */
class QuorumOrderTest {

    /**
     * Found by the contract on real masters: two of three had released the lock, the gate had not, and the next try was
     * answered "busy".
     */
    @Test
    void aReleasedLockIsFreeAlsoWhereTheGateIsSlow() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client next = quorum.client("next", node -> NEAR);
        for (int slow = 0; slow < 3; slow++) {
            int far = slow;
            String name = "holder" + slow;
            Client holder = quorum.client(name, node -> node == far ? 2 * FAR : NEAR);
            for (int i = 0; i < 10; i++) {
                String lock = name + "-" + i;
                LeaseId lease = holder.hold(lock);
                assertThat(quorum.answer(holder.release(lease))).isEqualTo(ReleaseAnswer.RELEASED);
                assertThat(quorum.answer(next.claim(lock))).as(lock).isInstanceOf(ClaimAnswer.Granted.class);
            }
        }
    }

    /**
     * The holder was cut off from the gate for longer than a lease. Another client collected in vain, joined again, and
     * heard nothing.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void theMajoritySaysBusyWhereTheGateHasForgottenIt(int nodes) {
        SimulatedQuorum quorum = new SimulatedQuorum(nodes);
        Client holder = quorum.client("holder", node -> NEAR);
        Client other = quorum.client("other", node -> NEAR);
        LeaseId lease = holder.hold("lock");
        quorum.pass(10 * NEAR);
        quorum.master(quorum.gate("lock")).handle(model -> model.breakLease("lock", lease.token()));
        CompletableFuture<ClaimAnswer> asked = other.waitFor("lock");
        quorum.pass(200 * NEAR);
        assertThat(asked).isCompletedWithValueMatching(ClaimAnswer.Busy.class::isInstance);
        CompletableFuture<ClaimAnswer> again = other.waitFor("lock");
        quorum.pass(100 * NEAR);
        assertThat(again).isCompletedWithValueMatching(ClaimAnswer.Busy.class::isInstance);
        // It goes on collecting, and is notified when it has the lock.
        holder.release(lease);
        quorum.pass(100 * NEAR);
        assertThat(other.unasked())
                .singleElement()
                .satisfies(won -> assertThat(won.token()).isGreaterThan(lease.token()));
    }

    /**
     * An attempt waits for the gate whichever other nodes have answered, and attempts that meet there do not split the
     * others.
     */
    @Test
    void theGateIsAskedFirst() {
        SimulatedQuorum quorum = new SimulatedQuorum(5);
        List<Integer> sent = new ArrayList<>();
        Client client = quorum.client("client", node -> {
            sent.add(node);
            return NEAR;
        });
        for (int i = 0; i < 10; i++) {
            String lock = "lock-" + i;
            int gate = quorum.gate(lock);
            sent.clear();
            CompletableFuture<ClaimAnswer> held = client.claim(lock);
            assertThat(sent).as("ballots").hasSize(5).startsWith(gate);
            quorum.answer(held);
            quorum.pass(10 * NEAR);
            sent.clear();
            CompletableFuture<ReleaseAnswer> released = client.release(((ClaimAnswer.Granted) held.join()).lease());
            assertThat(sent).as("releases").hasSize(5).startsWith(gate);
            quorum.answer(released);
        }
    }

    /** Otherwise the ballot would keep its node busy for a lease, and with one more node down all other clients out. */
    @Test
    void aBallotThatArrivesAfterItsReleaseIsRemoved() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        long[] toTheLast = {NEAR};
        Client holder = quorum.client("holder", node -> node == 2 ? toTheLast[0] : NEAR);
        Client next = quorum.client("next", node -> NEAR);
        toTheLast[0] = HORIZON.toNanos() / 2;
        CompletableFuture<ClaimAnswer> held = holder.claim("lock");
        toTheLast[0] = NEAR;
        LeaseId lease = ((ClaimAnswer.Granted) quorum.answer(held)).lease();
        holder.release(lease);
        quorum.pass(HORIZON.toNanos() + 10 * NEAR);
        quorum.master(0).goDown();
        assertThat(quorum.answer(next.claim("lock"))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** The contract on four real masters, once in 60 runs: all had confirmed, and the question was never answered. */
    @Test
    void aRenewalIsAnsweredWhereTheClocksWereReadApart() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR);
        LeaseId lease = holder.hold("lock");
        assertThat(quorum.answer(holder.renew(lease, Duration.ofMillis(1)))).isInstanceOf(RenewAnswer.Renewed.class);
    }

    /**
     * Two clients ask at once, and each is first on half of the nodes. On four real masters both drew lots until one of them
     * happened to be alone: somebody who had been given the lock by a release waited for a newcomer, and lost its turn.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6})
    void ofTwoWithHalfOfTheNodesEachOneIsGrantedTheLock(int nodes) {
        SimulatedQuorum quorum = new SimulatedQuorum(nodes);
        Client even = quorum.client("even", node -> node % 2 == 0 ? NEAR : FAR);
        Client odd = quorum.client("odd", node -> node % 2 == 1 ? NEAR : FAR);
        for (int i = 0; i < 10; i++) {
            String lock = "lock-" + i;
            List<CompletableFuture<ClaimAnswer>> answers = List.of(even.claim(lock), odd.claim(lock));
            quorum.passUntilDone(answers, NODE_TIMEOUT.toNanos() / 20);
            assertThat(answers).allMatch(CompletableFuture::isDone);
            assertThat(answers)
                    .filteredOn(answer -> answer.join() instanceof ClaimAnswer.Granted)
                    .as(lock)
                    .hasSize(1);
        }
    }

    /** Found by a reviewer: it knew no gate then, and could win before the gate had said whose turn it is. */
    @Test
    void aClientThatHeardNobodyForAWhileKnowsTheGate() {
        SimulatedQuorum quorum = new SimulatedQuorum(5);
        boolean[] silent = {false};
        List<Integer> sent = new ArrayList<>();
        Client client = quorum.client("client", node -> {
            sent.add(node);
            return silent[0] ? HELD_UP : NEAR;
        });
        silent[0] = true;
        for (int i = 0; i < 7; i++) {
            client.claim("gone-" + i);
            quorum.pass(2 * NODE_TIMEOUT.toNanos());
        }
        silent[0] = false;
        for (int i = 0; i < 10; i++) {
            sent.clear();
            client.claim("lock-" + i);
            assertThat(sent).startsWith(quorum.gate("lock-" + i));
        }
    }

    /** Otherwise the time that it had for collecting would end its lease. */
    @Test
    void aClaimThatWinsInItsTurnHasItsWholeLease() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR);
        Client waiter = quorum.client("waiter", node -> NEAR);
        LeaseId lease = holder.hold("lock");
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        holder.release(lease);
        quorum.answer(waiter.waitFor("lock"));
        quorum.pass(WaitingRules.claimPeriod(LEASE).plus(NODE_TIMEOUT).toNanos());
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("waiter:"));
    }

    /** Found by reading: as long as the claim lived, a node's grant to an attempt that was over stayed there. */
    @Test
    void aGrantToALostAttemptIsGivenBackBesideTheNext() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        List<Integer> sent = new ArrayList<>();
        Client holder = quorum.client("holder", node -> NEAR);
        Client waiter = quorum.client("waiter", node -> {
            sent.add(node);
            return NEAR;
        });
        LeaseId first = holder.hold("lock");
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        ClaimId queued = new ClaimId("waiter", waiter.attempts());
        quorum.answer(holder.release(first));
        LeaseId lost = ((ClaimAnswer.Granted) quorum.answer(waiter.waitFor("lock"))).lease();
        assertThat(waiter.attempts()).isEqualTo(queued.counter());
        quorum.answer(holder.breakLease("lock", lost.token()));
        assertThat(quorum.answer(waiter.waitFor("lock"))).isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(waiter.attempts()).isGreaterThan(queued.counter());
        quorum.pass(10 * NEAR);
        sent.clear();
        waiter.hears(2, new LeaseId("lock", queued, lost.token()));
        assertThat(sent).containsExactly(2);
    }

    /** Otherwise the one that hears of the loss later would end the attempt that the other has begun. */
    @Test
    void twoQuestionsForALostLeaseGetOneNewLease() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR);
        LeaseId lost = holder.hold("lock");
        quorum.answer(holder.breakLease("lock", lost.token()));
        long before = holder.attempts();
        List<CompletableFuture<ClaimAnswer>> both = List.of(holder.claim("lock"), holder.claim("lock"));
        assertThat(both).allSatisfy(one -> assertThat(quorum.answer(one)).isInstanceOf(ClaimAnswer.Granted.class));
        assertThat(holder.attempts()).isEqualTo(before + 1);
    }

    /** Otherwise a client that is nearer to the other nodes overtakes all waiters at the gate. */
    @Test
    void aLateGateIsWaitedForAndNobodyIsOvertaken() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        int gate = quorum.gate("lock");
        Client newcomer = quorum.client("newcomer", node -> node == gate ? FAR : NEAR);
        whoStoodInLine(quorum);
        assertThat(quorum.states("lock"))
                .filteredOn(state -> state.startsWith("free"))
                .hasSize(2);
        assertThat(quorum.answer(newcomer.claim("lock"))).isInstanceOf(ClaimAnswer.Busy.class);
    }

    /** The caller that wanted the lock may be gone. */
    @Test
    void anUnaskedGrantLastsForAClaimPeriodOnly() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client waiter = whoseTurnItIs(quorum);
        quorum.pass(10 * NEAR);
        assertThat(waiter.unasked()).hasSize(1);
        quorum.pass(WaitingRules.claimPeriod(LEASE).toNanos());
        assertThat(quorum.states("lock")).noneMatch(state -> state.startsWith("waiter:"));
    }

    @Test
    void aClaimAskedForWhileItCollectsHasItsWholeLease() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client waiter = whoseTurnItIs(quorum);
        quorum.answer(waiter.waitFor("lock"));
        assertThat(waiter.unasked()).isEmpty();
        quorum.pass(WaitingRules.claimPeriod(LEASE).plus(NODE_TIMEOUT).toNanos());
        assertThat(quorum.states("lock")).allMatch(state -> state.startsWith("waiter:"));
    }

    /** Otherwise waiters stand nowhere: a master without a vote lets nobody in line. */
    @Test
    void aMasterWithoutAVoteIsNoGate() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        List<Integer> sent = new ArrayList<>();
        Client holder = quorum.client("holder", node -> NEAR);
        Client waiter = quorum.client("waiter", node -> {
            sent.add(node);
            return NEAR;
        });
        quorum.master(0).comeBack(false);
        String lock = IntStream.range(0, 100)
                .mapToObj(i -> "lock-" + i)
                .filter(name -> quorum.gate(name) == 0)
                .findFirst()
                .orElseThrow();
        quorum.answer(waiter.claim("before"));
        quorum.pass(10 * NEAR);
        LeaseId lease = holder.hold(lock);
        quorum.pass(10 * NEAR);
        sent.clear();
        assertThat(quorum.answer(waiter.waitFor(lock))).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(sent).first().isNotEqualTo(0);
        assertThat(quorum.queues(lock))
                .filteredOn(queue -> queue.contains("waiter"))
                .hasSize(1);
        quorum.answer(holder.release(lease));
        quorum.pass(10 * NEAR);
        assertThat(quorum.states(lock))
                .filteredOn(state -> state.startsWith("waiter:"))
                .hasSize(1);
    }

    /** Otherwise a gate whose clock is ahead keeps its greater token, and the lease is missing there. */
    @Test
    void aClaimProposesAtLeastWhatTheGateHasGivenIt() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        int gate = quorum.gate("lock");
        quorum.master(gate).setClock(1_000_000);
        Client waiter = whoStoodInLine(quorum);
        long given = Long.parseLong(quorum.states("lock").get(gate).split("[ :]")[2]);
        waiter.hears(gate, new LeaseId("lock", new ClaimId("waiter", waiter.attempts()), given));
        quorum.pass(10 * NEAR);
        assertThat(waiter.unasked())
                .singleElement()
                .satisfies(won ->
                        assertThat(quorum.states("lock")).allMatch(state -> state.contains(" " + won.token() + " ")));
    }

    /** Otherwise those behind a winner that cannot reach a majority wait for its whole lease. */
    @Test
    void aWinnerWithoutAMajorityGivesUpAfterAClaimPeriod() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        int gate = quorum.gate("lock");
        boolean[] cut = {false};
        Client holder = quorum.client("holder", node -> NEAR);
        Client first = quorum.client("first", node -> cut[0] && node != gate ? HELD_UP : NEAR);
        Client second = quorum.client("second", node -> NEAR);
        LeaseId lease = holder.hold("lock");
        quorum.answer(first.waitFor("lock"));
        quorum.answer(second.waitFor("lock"));
        cut[0] = true;
        quorum.answer(holder.release(lease));
        first.waitFor("lock");
        quorum.pass(WaitingRules.claimPeriod(LEASE).minus(NODE_TIMEOUT).toNanos());
        assertThat(quorum.answer(second.waitFor("lock"))).isInstanceOf(ClaimAnswer.Busy.class);
        quorum.pass(2 * NODE_TIMEOUT.toNanos());
        assertThat(quorum.answer(second.waitFor("lock"))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** One that stood in line, and hears just now that the gate has given it the lock. */
    private static Client whoseTurnItIs(SimulatedQuorum quorum) {
        Client waiter = whoStoodInLine(quorum);
        waiter.hears(quorum.gate("lock"), new LeaseId("lock", new ClaimId("waiter", waiter.attempts()), 1));
        return waiter;
    }

    /** One to which the gate has given the lock, and that has not heard of it yet. */
    private static Client whoStoodInLine(SimulatedQuorum quorum) {
        Client holder = quorum.client("holder", node -> NEAR);
        Client waiter = quorum.client("waiter", node -> NEAR);
        LeaseId lease = holder.hold("lock");
        waiter.waitFor("lock");
        quorum.pass(10 * NEAR);
        quorum.answer(holder.release(lease));
        quorum.pass(10 * NEAR);
        return waiter;
    }

    /** Found by a reviewer: the attempt was stopped in the middle, and what it had got stayed where it was for a lease. */
    @Test
    void aLateRenewalDoesNotEndTheNextAttempt() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR);
        LeaseId lost = holder.hold("lock");
        quorum.answer(holder.breakLease("lock", lost.token()));
        CompletableFuture<ClaimAnswer> again = holder.claim("lock");
        assertThat(quorum.answer(holder.renew(lost, LEASE))).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(again).isNotDone();
        assertThat(quorum.answer(again)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void aRequestForAnEarlierLeaseDoesNotConcernTheNext() {
        SimulatedQuorum quorum = new SimulatedQuorum(3);
        Client holder = quorum.client("holder", node -> NEAR);
        LeaseId lost = holder.hold("lock");
        quorum.answer(holder.breakLease("lock", lost.token()));
        ClaimAnswer.Granted next = (ClaimAnswer.Granted) quorum.answer(holder.claim("lock"));
        assertThat(quorum.answer(holder.renew(lost, LEASE))).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(quorum.answer(holder.release(lost))).isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(quorum.answer(holder.renew(next.lease(), LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
    }
}
