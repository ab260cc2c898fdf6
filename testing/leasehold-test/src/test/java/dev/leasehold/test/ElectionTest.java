package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests show which candidate is elected, which listeners are notified, and what may be waited for: the rules of
 * elections on virtual time.
 */
class ElectionTest {

    private static final Duration LEASE = Candidates.LEASE;
    private static final Duration MARGIN = Duration.ofSeconds(3);

    @AutoClose
    private final Candidates candidates = new Candidates();

    private final VirtualTime time = candidates.time;

    // ---- being elected ----

    @Test
    void aCandidateThatDoesNotCampaignIsNotElected() throws Exception {
        Candidate idle = candidates.candidate("idle");
        time.advance(LEASE);
        assertThat(idle.election.isLeader()).isFalse();
        assertThat(idle.election.lease()).isEmpty();
        assertThat(idle.election.leader()).isEmpty();
        assertThat(idle.election.resign()).isFalse();
    }

    @Test
    void oneLeadsAndEverybodySeesWhoAndInWhichTerm() throws Exception {
        Candidate first = candidates.leader("first");
        Candidate second = candidates.waiting("second");
        assertThat(first.told).containsExactly("elected 1");
        assertThat(first.lease().token()).isEqualTo(first.terms.get(0));
        assertThat(first.lease().name()).isEqualTo("office");
        assertThat(second.election.leader())
                .hasValueSatisfying(leader -> {
                    assertThat(leader.owner()).contains("label=first");
                    assertThat(leader.token()).isEqualTo(first.lease().token());
                })
                .isEqualTo(first.election.leader());
        assertThat(second.told).isEmpty();
    }

    @Test
    void aNameIsNoPattern() throws Exception {
        Candidate other = candidates.leader("other");
        LeaderElection star = other.client.election("off*");
        assertThat(star.leader()).isEmpty();
        star.start();
        assertThat(star.leader())
                .hasValueSatisfying(leader -> assertThat(leader.token())
                        .isEqualTo(star.lease().orElseThrow().token()));
    }

    @Test
    @DisplayName("A leader leads for as long as it lives, even if nothing refers to its election")
    void aLeaderLeadsEvenIfNothingRefersToItsElection() throws Exception {
        Candidate operator = candidates.candidate("operator");
        Candidate dropped = candidates.candidate("dropped");
        dropped.client.election("day").start();
        long term = operator.client.election("day").leader().orElseThrow().token();
        System.gc();
        time.advance(Duration.ofDays(2));
        assertThat(operator.client.election("day").leader())
                .hasValueSatisfying(leader -> assertThat(leader.token()).isEqualTo(term));
    }

    @Test
    void aListenerThatComesLateIsToldOfThePresentTermOnce() {
        Candidate leader = candidates.leader("leader");
        List<String> told = new ArrayList<>();
        leader.election.addListener(new ElectionListener() {
            @Override
            public void elected(Lease lease) {
                told.add("elected " + leader.election.isLeader());
            }

            @Override
            public void demoted(Lease lease) {
                told.add("demoted " + leader.election.isLeader());
            }
        });
        assertThat(told).containsExactly("elected true");
        leader.election.close();
        assertThat(told).containsExactly("elected true", "demoted false");
    }

    @Test
    void aListenerThatThrowsKeepsNothingFromHappening() {
        Candidate candidate = candidates.candidate("candidate");
        candidate.election.addListener(new ElectionListener() {
            @Override
            public void elected(Lease lease) {
                throw new IllegalStateException("planted");
            }

            @Override
            public void demoted(Lease lease) {
                throw new IllegalStateException("planted");
            }
        });
        candidate.election.start();
        assertThat(candidate.election.resign()).isTrue();
        time.advance(LEASE);
        assertThat(candidate.told).containsExactly("elected 1", "demoted 1", "elected 2");
    }

    // ---- waiting for leadership ----

    @Test
    void whoWaitsForLeadershipGetsTheLeaseOfTheTerm() throws Exception {
        Candidate first = candidates.leader("first");
        Candidate second = candidates.waiting("second");
        assertThat(first.election.awaitLeadership(Duration.ZERO)).contains(first.lease());
        assertThat(second.election.awaitLeadership(Duration.ZERO)).isEmpty();
        assertThat(second.election.awaitLeadership(Duration.ofSeconds(-1))).isEmpty();
        CompletableFuture<Lease> waits = second.election.awaitLeadershipAsync();
        CompletableFuture<Lease> cancelled = second.election.awaitLeadershipAsync();
        cancelled.cancel(false);
        assertThat(waits).isNotDone();
        first.election.close();
        assertThat(waits).isCompletedWithValue(second.lease());
    }

    @Test
    void aWaitForLeadershipHasALimitInTheTimeOfTheClient() throws Exception {
        candidates.leader("leader");
        Candidate other = candidates.waiting("other");
        CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                result.complete(other.election.awaitLeadership(Duration.ofHours(1)));
            } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        waiter.setDaemon(true);
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        time.advance(Duration.ofMinutes(59));
        assertThat(result).isNotDone();
        time.advance(Duration.ofMinutes(1));
        assertThat(result.get()).isEmpty();
    }

    @Test
    void whoDoesNotCampaignIsNotWaitedFor() {
        Candidate idle = candidates.candidate("idle");
        assertThatThrownBy(() -> idle.election.awaitLeadership(LEASE).isPresent())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("start()");
        Candidate closed = waitingThenClosed();
        assertThatThrownBy(closed.election::awaitLeadershipAsync)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    private Candidate waitingThenClosed() {
        candidates.leader("leader");
        Candidate closed = candidates.waiting("closed");
        CompletableFuture<Lease> waits = closed.election.awaitLeadershipAsync();
        closed.election.close();
        assertThat(waits).isCompletedExceptionally();
        return closed;
    }

    // ---- the lock behind it ----

    @Test
    void anOfficeIsALock() throws Exception {
        Candidate leader = candidates.leader("leader");
        Candidate user = candidates.candidate("user");
        DistributedLock lock = user.client.lock("office");
        assertThat(lock.tryAcquire()).isEmpty();
        CompletableFuture<Lease> waits = lock.acquireAsync();
        leader.election.close();
        assertThat(waits).isCompleted();
        assertThat(waits.join().token()).isGreaterThan(leader.terms.get(0));
    }

    @Test
    void aLockThatIsKeptWithoutAHolderHasNoLeader() throws Exception {
        Candidate user = candidates.candidate("user");
        assertThat(user.client
                        .lock("office", LockOptions.defaults().withMinHold(LEASE))
                        .acquire()
                        .release())
                .isNotNull();
        assertThat(user.client.locks("office")).hasSize(1);
        assertThat(user.election.leader()).isEmpty();
    }

    @Test
    void badOptionsAreRefused() {
        Candidate candidate = candidates.candidate("candidate");
        assertThatThrownBy(() -> ElectionOptions.ofLease(Duration.ofMillis(99))).hasMessageContaining("leaseDuration");
        assertThatThrownBy(() -> ElectionOptions.ofLease(LEASE).withMargin(Duration.ofSeconds(11)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("third");
        assertThatThrownBy(() -> ElectionOptions.ofLease(LEASE).withMargin(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> candidate.client.election("")).isInstanceOf(IllegalArgumentException.class);
        assertThat(ElectionOptions.ofLease(LEASE).margin()).isEqualTo(MARGIN);
        assertThat(candidate.client.election("x").options().leaseDuration())
                .isEqualTo(LockOptions.defaults().leaseDuration());
    }
}
