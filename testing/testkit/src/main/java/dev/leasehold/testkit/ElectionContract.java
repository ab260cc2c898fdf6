package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.ElectionOptions;
import dev.leasehold.Lease;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An election contract has the promises of {@link dev.leasehold.LeaderElection}, as tests over a store. A store's module
 * extends this class and says how to open the store:
 *
 * <pre>{@code
 * class MyStoreElectionContractTest extends ElectionContract {
 *     @Override
 *     protected StoreFactory store() {
 *         return MyStore.at(server.address());
 *     }
 * }
 * }</pre>
 *
 * <p>After each test the logs of all candidates are judged together: never two leaders at once, terms strictly increasing,
 * nobody a leader beyond the deadline of its lease.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ElectionContract {

    private static final Duration LEASE = Duration.ofSeconds(6);

    private static final ElectionOptions OPTIONS =
            ElectionOptions.ofLease(LEASE).withMargin(Duration.ofMillis(600));

    /** So long that nobody loses it, nor its place, because the machine is busy. */
    private static final ElectionOptions LASTING = ElectionOptions.ofLease(ClientFixture.NEVER);

    private final String office = "office-" + UUID.randomUUID();
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<HoldRecord> history = new ArrayList<>();
    private @Nullable StoreFactory store;

    /** Makes the contract, for subclasses. */
    protected ElectionContract() {}

    /**
     * Returns the store under test. Called once per test; all clients of the test open what it returns.
     *
     * @return the store
     * @throws Exception if it cannot be made; the test fails
     */
    protected abstract StoreFactory store() throws Exception;

    /**
     * Makes the store.
     *
     * @throws Exception if it cannot be made
     */
    @BeforeEach
    protected final void openStore() throws Exception {
        store = store();
    }

    /** Closes all candidates and judges what they believed. */
    @AfterEach
    protected final void judge() {
        for (Candidate candidate : candidates) {
            ClientFixture.eventually("the log has seen who leads", candidate::isLogged);
            candidate.close();
            history.addAll(candidate.history());
        }
        HistoryChecker.of(Duration.ofMillis(500)).check(history);
        assertThat(history.stream().filter(HoldRecord::isHold)).as("terms").isNotEmpty();
    }

    @Test
    void oneOfFiveLeadsAndAllSeeWhoAndInWhichTerm() throws Exception {
        List<Candidate> five = five(LASTING);
        Candidate leader = five.get(0);
        ClientFixture.eventually("it is told", () -> leader.elected.size() == 1);
        for (Candidate candidate : five) {
            assertThat(candidate.leads()).isEqualTo(candidate == leader);
            HolderInfo seen = candidate.leaderSeen().orElseThrow();
            assertThat(seen.owner()).contains("label=" + leader.name);
            assertThat(seen.token()).isEqualTo(leader.elected.get(0));
        }
    }

    @Test
    void whoResignsStandsAgainBehindAllOthers() {
        List<Candidate> five = five(LASTING);
        for (int turn = 0; turn < 6; turn++) {
            Candidate next = five.get(turn % 5);
            awaitTurnOf(next);
            awaitWaiters(4);
            assertThat(next.election.resign()).isTrue();
            assertThat(next.leads()).isFalse();
        }
        awaitTurnOf(five.get(1));
    }

    @Test
    @DisplayName("A leader that is cut off is demoted before the next is elected, within one lease")
    void aLeaderThatIsCutOffIsDemotedBeforeTheNext() throws Exception {
        List<Candidate> five = five();
        Candidate leader = five.get(0);
        Candidate next = five.get(1);
        leader.cutOff();
        assertThatALeaseAtMostIsLeft(next);
        // On a busy machine one that did not come to say that it is there has lost its place.
        ClientFixture.eventually(
                "another leads", () -> five.stream().anyMatch(other -> other != leader && other.leads()));
        assertThat(leader.leads()).isFalse();
        ClientFixture.eventually("it is told", () -> !leader.demoted.isEmpty());
        leader.restore();
        awaitWaiters(4);
    }

    @Test
    @DisplayName("Work is interrupted before another leads and runs again in a later term")
    void workIsInterruptedBeforeAnotherLeads() throws Exception {
        Candidate worker = candidate("worker");
        List<Long> terms = new ArrayList<>();
        CompletableFuture<Long> interrupted = new CompletableFuture<>();
        CountDownLatch again = new CountDownLatch(1);
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                worker.election.run(lease -> {
                    terms.add(lease.token());
                    if (terms.size() > 1) {
                        again.countDown();
                        return;
                    }
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.complete(System.nanoTime());
                    }
                });
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        awaitTurnOf(worker);
        Candidate other = candidate("other");
        other.election.start();
        awaitWaiters(1);
        worker.cutOff();
        assertThat(other.election.awaitLeadership(ClientFixture.LONGEST_WAIT)).isPresent();
        assertThat(interrupted).as("the work has ended before").isDone();
        worker.restore();
        awaitWaiters(1);
        assertThat(other.election.resign()).isTrue();
        assertThat(again.await(ClientFixture.LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        ClientFixture.get(done);
        assertThat(terms).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aLeaderWhoseClientIsClosedIsFollowedAtOnce() {
        List<Candidate> five = five(LASTING);
        five.get(0).client.close();
        awaitTurnOf(five.get(1));
        assertThat(five.get(0).leads()).isFalse();
    }

    @Test
    void aLeaderWhoseLeaseIsBrokenIsDemotedAndStandsAgain() throws Exception {
        Candidate leader = candidate("leader");
        leader.election.start();
        awaitTurnOf(leader);
        long term = leader.term();
        // Alone, because an operator who breaks a lock lets two believe in it for a moment.
        assertThat(leader.client.breakLock(office, term)).isTrue();
        ClientFixture.eventually("it leads again", () -> leader.term() > term);
        ClientFixture.eventually("it is told", () -> leader.demoted.contains(term));
    }

    @Test
    void anOutageForAllEndsTheTermAndNotTheCampaigns() {
        List<Candidate> five = five();
        five.forEach(Candidate::cutOff);
        ClientFixture.eventually("nobody leads", () -> five.stream().noneMatch(Candidate::leads));
        ClientFixture.pause(LEASE.multipliedBy(2));
        assertThat(five).noneMatch(Candidate::leads);
        five.forEach(Candidate::restore);
        ClientFixture.eventually("somebody leads", () -> five.stream().anyMatch(Candidate::leads));
    }

    @Test
    @DisplayName("Never two leaders and always the next whatever happens to them")
    void neverTwoLeadersAndAlwaysTheNext() throws Exception {
        Random random = new Random(6);
        List<Candidate> five = five();
        for (Candidate candidate : five) {
            candidate.line.plan(FaultPlan.random(random.nextLong(), 10, Duration.ofMillis(30)));
        }
        long last = 0;
        for (int round = 0; round < 8; round++) {
            Leading leading = nextLeader(five, last);
            Candidate leader = leading.candidate();
            last = leading.term();
            switch (round % 4) {
                case 0 -> leader.election.resign();
                case 1 -> leader.cutOff();
                case 2 -> leader.election.lease().ifPresent(Lease::close);
                default -> leader.election.close();
            }
            ClientFixture.eventually("its term is over", () -> leader.term() != leading.term());
            leader.restore();
        }
        nextLeader(five, last);
    }

    private record Leading(Candidate candidate, long term) {}

    private static Leading nextLeader(List<Candidate> of, long afterTerm) {
        AtomicReference<@Nullable Leading> found = new AtomicReference<>();
        ClientFixture.eventually("a later term than " + afterTerm, () -> {
            for (Candidate candidate : of) {
                long term = candidate.term();
                if (term > afterTerm) {
                    found.set(new Leading(candidate, term));
                }
            }
            return found.get() != null;
        });
        return StoreClient.present("the leader", found.get());
    }

    /** Makes candidates, of whom the first leads, and the others wait in their order. */
    private List<Candidate> five() {
        return five(OPTIONS);
    }

    private List<Candidate> five(ElectionOptions options) {
        List<Candidate> five = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Candidate candidate = candidate("candidate-" + i, options);
            candidate.election.start();
            five.add(candidate);
            if (i == 0) {
                awaitTurnOf(candidate);
            } else {
                awaitWaiters(i);
            }
        }
        return five;
    }

    private Candidate candidate(String name) {
        return candidate(name, OPTIONS);
    }

    private Candidate candidate(String name, ElectionOptions options) {
        Candidate candidate = new Candidate(name, StoreClient.present("the store", store), office, options);
        candidates.add(candidate);
        return candidate;
    }

    /** By the store's clock: how long a slow machine takes to notice is another matter. */
    private void assertThatALeaseAtMostIsLeft(Candidate looking) throws InterruptedException {
        assertThat(looking.leaderSeen().map(HolderInfo::timeLeft).filter(left -> left.compareTo(LEASE) > 0))
                .isEmpty();
    }

    /** If it does not come, says who leads and who waits. */
    private void awaitTurnOf(Candidate next) {
        try {
            ClientFixture.eventually("it is the turn of " + next, next::leads);
        } catch (AssertionError e) {
            List<Candidate> leading =
                    candidates.stream().filter(Candidate::leads).toList();
            throw new AssertionError("leading: " + leading + ", in the store: " + inStore(next), e);
        }
    }

    private Object inStore(Candidate looking) {
        try {
            return looking.client.locks(office);
        } catch (Exception e) {
            return e;
        }
    }

    private void awaitWaiters(int number) {
        ClientFixture.eventually(number + " wait", () -> {
            try {
                return candidates.get(candidates.size() - 1).client.locks(office).stream()
                        .anyMatch(lock -> lock.waiters().size() == number);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }
}
