package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of elections on virtual time: terms, the margin, doubt, turns. Leases of 30 s, so 29.698 s on this side. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ElectionTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration VALID = Duration.ofMillis(29_698);
    private static final Duration MARGIN = Duration.ofSeconds(3);
    private static final Duration TICK = Duration.ofMillis(1);

    private final VirtualTime time = new VirtualTime();
    private final StoreFactory store = memory();
    private final List<Candidate> candidates = new ArrayList<>();

    private static StoreFactory memory() {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow()
                .create(StoreUri.parse("memory:"));
    }

    private Candidate candidate(String name) {
        return candidate(name, ElectionOptions.ofLease(LEASE));
    }

    private Candidate candidate(String name, ElectionOptions options) {
        Candidate candidate = new Candidate(name, store, time, options);
        candidates.add(candidate);
        return candidate;
    }

    private Candidate leader(String name) {
        Candidate candidate = candidate(name);
        candidate.election.start();
        assertThat(candidate.election.isLeader()).isTrue();
        return candidate;
    }

    private Candidate waiting(String name) {
        Candidate candidate = candidate(name);
        candidate.election.start();
        assertThat(candidate.election.isLeader()).isFalse();
        return candidate;
    }

    @AfterEach
    void close() {
        candidates.forEach(candidate -> candidate.line.down(false));
        // What is still to be released is repeated in virtual time.
        time.advance(LEASE);
        candidates.forEach(Candidate::close);
    }

    // ---- being elected ----

    @Test
    void aCandidateThatDoesNotCampaignIsNotElected() throws Exception {
        Candidate idle = candidate("idle");
        time.advance(LEASE);
        assertThat(idle.election.isLeader()).isFalse();
        assertThat(idle.election.lease()).isEmpty();
        assertThat(idle.election.leader()).isEmpty();
        assertThat(idle.election.resign()).isFalse();
    }

    @Test
    void oneLeadsAndEverybodySeesWhoAndInWhichTerm() throws Exception {
        Candidate first = leader("first");
        Candidate second = waiting("second");
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
        Candidate other = leader("other");
        LeaderElection star = other.client.election("off*");
        assertThat(star.leader()).isEmpty();
        star.start();
        assertThat(star.leader())
                .hasValueSatisfying(leader -> assertThat(leader.token())
                        .isEqualTo(star.lease().orElseThrow().token()));
    }

    @Test
    void aLeaderLeadsForAsLongAsItLivesEvenIfNothingRefersToItsElection() throws Exception {
        Candidate operator = candidate("operator");
        Candidate dropped = candidate("dropped");
        dropped.client.election("day").start();
        long term = operator.client.election("day").leader().orElseThrow().token();
        System.gc();
        time.advance(Duration.ofDays(2));
        assertThat(operator.client.election("day").leader())
                .hasValueSatisfying(leader -> assertThat(leader.token()).isEqualTo(term));
    }

    @Test
    void aListenerThatComesLateIsToldOfThePresentTermOnce() {
        Candidate leader = leader("leader");
        List<String> told = new ArrayList<>();
        leader.election.onChange(new ElectionListener() {
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
        Candidate candidate = candidate("candidate");
        candidate.election.onChange(new ElectionListener() {
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

    // ---- the margin ----

    @Test
    void aLeaderThatCannotRenewIsDemotedTheMarginBeforeItsDeadline() {
        Candidate leader = leader("leader");
        Lease lease = leader.lease();
        leader.line.down(true);
        time.advance(VALID.minus(MARGIN).minus(TICK));
        assertThat(leader.election.isLeader()).isTrue();
        time.advance(TICK);
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(lease.isValid())
                .as("it was given back, as nobody had to be waited for")
                .isFalse();
    }

    @Test
    void whoLooksAtTheMarginSeesThatItIsOverHoweverLateTheTimerIs() {
        Candidate leader = candidate("leader");
        List<Boolean> seen = new ArrayList<>();
        // Scheduled before the term's own timer for the same moment, so it comes first.
        time.schedule(VALID.minus(MARGIN), () -> {
            seen.add(leader.told.contains("demoted 1"));
            seen.add(leader.election.isLeader());
            seen.add(leader.told.contains("demoted 1"));
        });
        leader.election.start();
        leader.line.down(true);
        time.advance(VALID.minus(MARGIN));
        assertThat(seen).containsExactly(false, false, true);
    }

    @Test
    void theMarginCanBeSetAndBeZero() {
        Candidate patient = candidate("patient", ElectionOptions.ofLease(LEASE).withMargin(Duration.ZERO));
        patient.election.start();
        patient.line.down(true);
        time.advance(VALID.minus(TICK));
        assertThat(patient.election.isLeader()).isTrue();
        time.advance(TICK);
        assertThat(patient.election.isLeader()).isFalse();
        assertThat(patient.told).containsExactly("elected 1", "demoted 1");
    }

    @Test
    void aPushedGrantThatLastsLessThanTheMarginIsALeadershipAllTheSame() {
        ElectionOptions options = ElectionOptions.ofLease(Duration.ofMinutes(10));
        Candidate first = candidate("first", options);
        first.election.start();
        Candidate second = candidate("second", options);
        second.election.start();
        first.election.close();
        assertThat(second.election.isLeader()).isTrue();
        time.advance(Duration.ofHours(1));
        assertThat(second.told).containsExactly("elected 1");
    }

    @Test
    void aTermThatHasEndedDoesNotComeBackWhenItsLeaseIsRenewedAfterTheMargin() throws Exception {
        Candidate leader = leader("leader");
        Lease lease = leader.lease();
        CompletableFuture<Void> finished = new CompletableFuture<>();
        leader.election.onChange(new ElectionListener() {
            @Override
            public void demoted(Lease over) {
                leader.line.down(false);
                try {
                    over.extend(LEASE);
                    finished.complete(null);
                } catch (InterruptedException | RuntimeException e) {
                    finished.completeExceptionally(e);
                }
                assertThat(over.isValid()).isTrue();
                assertThat(leader.election.isLeader()).isFalse();
                leader.told.add("extended");
            }
        });
        leader.line.down(true);
        time.advance(VALID.minus(MARGIN));
        finished.get();
        time.advance(LEASE);
        assertThat(leader.told).containsExactly("elected 1", "demoted 1", "extended", "elected 2");
        assertThat(leader.terms.get(1)).isGreaterThan(leader.terms.get(0));
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void nobodyElseIsElectedBeforeTheLeaderHasBeenDemoted() {
        Candidate cutOff = leader("cut off");
        Candidate other = waiting("other");
        cutOff.line.down(true);
        for (Duration passed = Duration.ZERO; passed.compareTo(LEASE) <= 0; passed = passed.plusMillis(10)) {
            assertThat(cutOff.election.isLeader() && other.election.isLeader()).isFalse();
            assertThat(other.told.isEmpty() || cutOff.told.contains("demoted 1"))
                    .isTrue();
            time.advance(Duration.ofMillis(10));
        }
        time.advance(Duration.ofMillis(100));
        assertThat(other.election.isLeader()).as("within one lease").isTrue();
        assertThat(other.terms.get(0)).isGreaterThan(cutOff.terms.get(0));
    }

    // ---- doubt ----

    @Test
    void inDoubtNobodyLeadsAndNothingIsToldIfItPasses() {
        Candidate leader = leader("leader");
        leader.line.down(true);
        time.jumpWallClock(Duration.ofHours(1));
        assertThat(leader.election.isLeader()).isFalse();
        leader.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(leader.election.isLeader()).isTrue();
        assertThat(leader.told).containsExactly("elected 1");
        time.advance(LEASE);
        assertThat(leader.told).containsExactly("elected 1");
    }

    @Test
    void aDoubtThatLastsAFifthOfTheLeaseEndsTheTerm() {
        Candidate leader = leader("leader");
        leader.line.down(true);
        time.suspend(Duration.ofMinutes(10));
        assertThat(leader.election.isLeader()).isFalse();
        time.advance(LEASE.dividedBy(5).minus(TICK));
        assertThat(leader.told).containsExactly("elected 1");
        time.advance(TICK);
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
    }

    // ---- other ends ----

    @Test
    void aLeaderWhoseLeaseIsBrokenIsDemotedAtOnceAndStandsAgain() throws Exception {
        Candidate leader = leader("leader");
        assertThat(candidate("operator")
                        .client
                        .breakLock("office", leader.lease().token()))
                .isTrue();
        assertThat(leader.told).startsWith("elected 1", "demoted 1");
        time.advance(Duration.ofSeconds(2));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1", "elected 2");
        assertThat(leader.terms.get(1)).isGreaterThan(leader.terms.get(0));
    }

    @Test
    void aLeaseThatItsUserReleasesIsTheEndOfTheTerm() throws Exception {
        Candidate leader = leader("leader");
        assertThat(leader.lease().release()).isNotNull();
        time.advance(Duration.ofSeconds(2));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1", "elected 2");
    }

    @Test
    void whoResignsStandsAgainBehindThoseWhoWait() {
        Candidate first = leader("first");
        Candidate second = waiting("second");
        Candidate third = waiting("third");
        assertThat(first.election.resign()).isTrue();
        assertThat(first.election.isLeader()).isFalse();
        assertThat(second.election.isLeader()).isTrue();
        time.advance(Duration.ofSeconds(2));
        assertThat(second.election.resign()).isTrue();
        assertThat(third.election.isLeader()).isTrue();
        time.advance(Duration.ofSeconds(2));
        assertThat(third.election.resign()).isTrue();
        assertThat(first.election.isLeader()).isTrue();
        assertThat(List.of(first.terms.get(0), second.terms.get(0), third.terms.get(0), first.terms.get(1)))
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(first.told).containsExactly("elected 1", "demoted 1", "elected 2");
    }

    @Test
    void whoResignsAloneIsElectedAgainAfterAPause() {
        Candidate alone = leader("alone");
        assertThat(alone.election.resign()).isTrue();
        time.advance(Duration.ofMillis(499));
        assertThat(alone.election.isLeader()).isFalse();
        assertThat(alone.election.resign()).isFalse();
        time.advance(Duration.ofMillis(1001));
        assertThat(alone.election.isLeader()).isTrue();
        assertThat(alone.terms.get(1)).isGreaterThan(alone.terms.get(0));
    }

    @Test
    void theLockIsGivenBackAfterTheListenersHaveBeenTold() {
        Candidate leader = leader("leader");
        Candidate other = waiting("other");
        List<Boolean> seen = new ArrayList<>();
        leader.election.onChange(new ElectionListener() {
            @Override
            public void demoted(Lease lease) {
                seen.add(lease.isValid());
                seen.add(leader.election.isLeader());
                seen.add(other.election.isLeader());
            }
        });
        leader.election.resign();
        assertThat(seen).containsExactly(true, false, false);
        assertThat(other.election.isLeader()).isTrue();
    }

    @Test
    void closingEndsTheCampaignForGood() throws Exception {
        Candidate leader = leader("leader");
        Candidate second = waiting("second");
        Candidate third = waiting("third");
        second.election.close();
        leader.election.close();
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(third.election.isLeader()).isTrue();
        time.advance(LEASE);
        assertThat(third.client.locks("office"))
                .allSatisfy(office -> assertThat(office.waiters()).isEmpty());
        leader.election.close();
        third.election.close();
        time.advance(LEASE);
        assertThat(leader.told).hasSize(2);
        assertThat(second.told).isEmpty();
        assertThat(third.client.locks("*")).isEmpty();
        assertThatThrownBy(leader.election::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> leader.election.run(lease -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheClientEndsTheTermAndTheWaitForOne() throws Exception {
        Candidate leader = leader("leader");
        Candidate other = waiting("other");
        CompletableFuture<Lease> waits = other.election.awaitLeadershipAsync();
        other.client.close();
        assertThat(waits).isCompletedExceptionally();
        leader.client.close();
        assertThat(leader.election.isLeader()).isFalse();
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThatThrownBy(other.election::start).isInstanceOf(IllegalStateException.class);
        assertThat(candidate("late").client.locks("*")).isEmpty();
    }

    @Test
    void closingTheClientEndsTheWaitAlsoInAPause() {
        Candidate alone = leader("alone");
        alone.election.resign();
        CompletableFuture<Lease> waits = alone.election.awaitLeadershipAsync();
        alone.client.close();
        assertThat(waits).isCompletedExceptionally();
        time.advance(LEASE);
        assertThat(alone.told).containsExactly("elected 1", "demoted 1");
    }

    // ---- outages ----

    @Test
    void outagesEndTermsAndNotCampaigns() {
        Candidate leader = leader("leader");
        Candidate other = waiting("other");
        leader.line.down(true);
        other.line.down(true);
        time.advance(Duration.ofMinutes(10));
        assertThat(leader.told).containsExactly("elected 1", "demoted 1");
        assertThat(other.told).isEmpty();
        other.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(other.election.isLeader()).isTrue();
        leader.line.down(false);
        time.advance(Duration.ofSeconds(4));
        assertThat(other.election.resign()).isTrue();
        assertThat(leader.election.isLeader()).isTrue();
        assertThat(leader.terms.get(1)).isGreaterThan(other.terms.get(0));
    }

    @Test
    void anOutageFromTheStartIsWaitedFor() {
        Candidate candidate = candidate("candidate");
        candidate.line.down(true);
        candidate.election.start();
        candidate.election.start();
        CompletableFuture<Lease> waits = candidate.election.awaitLeadershipAsync();
        time.advance(Duration.ofHours(1));
        assertThat(waits).isNotDone();
        candidate.line.down(false);
        time.advance(Duration.ofSeconds(3));
        assertThat(candidate.election.isLeader()).isTrue();
        assertThat(waits).isCompletedWithValue(candidate.lease());
    }

    // ---- waiting for leadership ----

    @Test
    void whoWaitsForLeadershipGetsTheLeaseOfTheTerm() throws Exception {
        Candidate first = leader("first");
        Candidate second = waiting("second");
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
        leader("leader");
        Candidate other = waiting("other");
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
        Candidate idle = candidate("idle");
        assertThatThrownBy(() -> idle.election.awaitLeadership(LEASE).isPresent())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("start()");
        Candidate closed = waitingThenClosed();
        assertThatThrownBy(closed.election::awaitLeadershipAsync)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    private Candidate waitingThenClosed() {
        leader("leader");
        Candidate closed = waiting("closed");
        CompletableFuture<Lease> waits = closed.election.awaitLeadershipAsync();
        closed.election.close();
        assertThat(waits).isCompletedExceptionally();
        return closed;
    }

    // ---- the lock behind it ----

    @Test
    void anOfficeIsALock() throws Exception {
        Candidate leader = leader("leader");
        Candidate user = candidate("user");
        DistributedLock lock = user.client.lock("office");
        assertThat(lock.tryAcquire()).isEmpty();
        CompletableFuture<Lease> waits = lock.acquireAsync();
        leader.election.close();
        assertThat(waits).isCompleted();
        assertThat(waits.join().token()).isGreaterThan(leader.terms.get(0));
    }

    @Test
    void aLockThatIsKeptWithoutAHolderHasNoLeader() throws Exception {
        Candidate user = candidate("user");
        assertThat(user.client
                        .lock("office", LockOptions.defaults().withAtLeast(LEASE))
                        .acquire()
                        .release())
                .isNotNull();
        assertThat(user.client.locks("office")).hasSize(1);
        assertThat(user.election.leader()).isEmpty();
    }

    @Test
    void badOptionsAreRefused() {
        Candidate candidate = candidate("candidate");
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
