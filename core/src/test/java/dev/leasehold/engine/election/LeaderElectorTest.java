package dev.leasehold.engine.election;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.ElectionListener;
import dev.leasehold.ElectionOptions;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.engine.StoppedTimeSource;
import dev.leasehold.engine.WrappedStore;
import dev.leasehold.engine.threads.SystemTime;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about elections where the store refuses and where users' code blocks, on the machine's time. */
class LeaderElectorTest {

    /** So long that a busy machine does not lose it. */
    private static final ElectionOptions UNHURRIED = ElectionOptions.ofLease(Duration.ofSeconds(6));

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(A_MINUTE);

    /** A refusing store refuses all claims until the test has it stop. */
    private static final class RefusingStore extends WrappedStore {
        volatile boolean refuses = true;

        @Override
        public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
            return refuses
                    ? CompletableFuture.failedFuture(new LockException("no right to '" + claim.lock() + "'"))
                    : super.claim(store, claim);
        }
    }

    private static Leasehold open(StoreFactory store) {
        return Leasehold.builder().store(store).build();
    }

    @Test
    void runThrowsWhatTryingAgainWillNotChange() {
        try (Leasehold leasehold = open(new RefusingStore())) {
            LeaderElection election = leasehold.election("office");
            assertThatThrownBy(() -> election.run(lease -> {}))
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("no right");
            assertThat(election.isLeader()).isFalse();
        }
    }

    @Test
    @DisplayName("A candidate that could not even ask stands again")
    void anErrorBeforeTheQuestionEndsNoCandidacy() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        try (SystemTime time = new SystemTime("leasehold-timer-test");
                Leasehold leasehold = Leasehold.builder()
                        .store(new WrappedStore())
                        .timeSource(new TimeSource() {
                            @Override
                            public ClockReading now() {
                                return time.now();
                            }

                            @Override
                            public long nanos() {
                                if (fails.getAndSet(false)) {
                                    throw new LinkageError("simulated");
                                }
                                return time.nanos();
                            }

                            @Override
                            public Timer schedule(Duration delay, Runnable task) {
                                return time.schedule(delay, task);
                            }
                        })
                        .build()) {
            LeaderElection election = leasehold.election("office", UNHURRIED);
            fails.set(true);
            assertThatThrownBy(() -> election.run(lease -> {})).hasCauseInstanceOf(LinkageError.class);
            fails.set(true);
            election.start();
            assertThat(election.awaitLeadership(LONGEST_WAIT)).isPresent();
        }
    }

    @Test
    @DisplayName("A refusal in the background fails the waiters, and is tried again")
    void aRefusalInTheBackgroundIsToldAndTriedAgain() throws Exception {
        RefusingStore store = new RefusingStore();
        try (Leasehold leasehold = open(store)) {
            LeaderElection election = leasehold.election("office", UNHURRIED);
            election.start();
            CompletableFuture<Lease> waits = election.awaitLeadershipAsync();
            assertThatThrownBy(() -> waits.get(A_MINUTE, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockException.class)
                    .hasMessageContaining("no right");
            store.refuses = false;
            Lease lease = null;
            for (int tries = 0; lease == null && tries < 100; tries++) {
                try {
                    lease = election.awaitLeadership(LONGEST_WAIT).orElseThrow();
                } catch (LockException refusedOnceMore) {
                    assertThat(refusedOnceMore).hasMessageContaining("no right");
                }
            }
            assertThat(election.lease()).contains(lease);
        }
    }

    @Test
    @DisplayName("Listeners hear of a term's end after its beginning, however early it comes")
    void theEndOfATermIsToldAfterItsBeginning() {
        List<String> told = new ArrayList<>();
        AtomicReference<LeaderElection> candidate = new AtomicReference<>();
        StoppedTimeSource resigning = new StoppedTimeSource() {
            @Override
            public Timer schedule(Duration delay, Runnable task) {
                LeaderElection election = candidate.get();
                if (election != null && election.isLeader()) {
                    assertThat(told).as("it leads, and nobody knows yet").isEmpty();
                    election.resign();
                }
                return super.schedule(delay, task);
            }
        };
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .timeSource(resigning)
                .executor(Runnable::run)
                .build()) {
            LeaderElection election = leasehold.election("office");
            election.addListener(new ElectionListener() {
                @Override
                public void elected(Lease lease) {
                    told.add("elected");
                }

                @Override
                public void demoted(Lease lease) {
                    told.add("demoted");
                }
            });
            candidate.set(election);
            election.start();
            assertThat(told).containsExactly("elected", "demoted");
        }
    }

    @Test
    @DisplayName("An executor that never runs anything keeps nobody from leading nor from losing the office")
    void aBlockedExecutorDoesNotKeepTermsFromChanging() throws Exception {
        StoreFactory memory = WrappedStore.memory();
        List<Runnable> stuck = Collections.synchronizedList(new ArrayList<>());
        try (Leasehold blocked =
                        Leasehold.builder().store(memory).executor(stuck::add).build();
                Leasehold free = open(memory)) {
            LeaderElection election = blocked.election("office", UNHURRIED);
            election.addListener(new ElectionListener() {});
            election.start();
            assertThat(election.awaitLeadership(LONGEST_WAIT)).isPresent();
            LeaderElection other = free.election("office", UNHURRIED);
            other.start();
            assertThat(election.resign()).isTrue();
            assertThat(election.isLeader()).isFalse();
            assertThat(other.awaitLeadership(LONGEST_WAIT))
                    .as("when the lease has run out, as the listener has not been told")
                    .isPresent();
            other.close();
            assertThat(other.isLeader()).isFalse();
            assertThat(election.isLeader())
                    .as("its listener may still be at work")
                    .isFalse();
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    assertThat(election.awaitLeadership(Duration.ofHours(1))).isEmpty();
                    told.complete(null);
                } catch (InterruptedException | RuntimeException e) {
                    told.complete(e);
                }
            });
            waiter.setDaemon(true);
            waiter.start();
            while (waiter.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            blocked.close();
            assertThat(told.get(A_MINUTE, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    @DisplayName("Closing waits for a listener that is at work but not for itself")
    void closingWaitsForAListenerButNotForItself() throws Exception {
        try (Leasehold leasehold = open(WrappedStore.memory())) {
            // Bound: close() waits for no listener from within; it would for a second in each of the tries.
            await().pollInSameThread().until(() -> closingInAListener(leasehold) < TimeUnit.MILLISECONDS.toNanos(900));

            List<String> log = Collections.synchronizedList(new ArrayList<>());
            LeaderElection second = leasehold.election("office");
            second.addListener(new ElectionListener() {
                @Override
                public void demoted(Lease lease) {
                    log.add("second " + lease.isValid());
                }
            });
            second.start();
            assertThat(second.awaitLeadership(LONGEST_WAIT)).isPresent();
            second.close();
            assertThat(log).containsExactly("second true");
            assertThat(leasehold.lock("office").tryAcquire()).isPresent();
        }
    }

    /** Closes a client in whose last step, before its queues close, its candidate's grant comes. */
    private static void closeWhileElected(Leasehold leasehold, LeaderElection election, CompletableFuture<Void> late) {
        election.awaitLeadershipAsync().whenComplete((lease, failure) -> late.complete(null));
        CompletableFuture<?> closed = leasehold.closeAsync(Duration.ofHours(1));
        assertThat(late).as("the grant came").isDone();
        assertThat(election.isLeader()).isFalse();
        assertThat(closed).succeedsWithin(LONGEST_WAIT);
    }

    private static Leasehold slow(CompletableFuture<Void> late, CountDownLatch asked) {
        WrappedStore slow = new WrappedStore() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store store, Claim claim) {
                asked.countDown();
                return late.thenCompose(done -> store.claim(claim));
            }
        };
        return Leasehold.builder()
                .store(slow)
                .timeSource(new StoppedTimeSource())
                .executor(Runnable::run)
                .build();
    }

    @Test
    void whoIsElectedWhileItsClientClosesDoesNotLead() {
        CompletableFuture<Void> late = new CompletableFuture<>();
        Leasehold leasehold = slow(late, new CountDownLatch(1));
        LeaderElection election = leasehold.election("office");
        election.start();
        closeWhileElected(leasehold, election, late);
    }

    @Test
    void whoIsElectedWhileItsClientClosesDoesNotWork() throws Exception {
        CompletableFuture<Void> late = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        Leasehold leasehold = slow(late, asked);
        LeaderElection election = leasehold.election("office");
        CompletableFuture<?> worker = CompletableFuture.runAsync(() -> {
            try {
                election.run(lease -> {
                    throw new AssertionError("it leads");
                });
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(asked.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        closeWhileElected(leasehold, election, late);
        assertThatThrownBy(() -> worker.get(A_MINUTE, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    /** Returns how long a candidate took to close in its own listener. */
    private static long closingInAListener(Leasehold leasehold) throws InterruptedException {
        LeaderElection election = leasehold.election("office");
        AtomicLong took = new AtomicLong(-1);
        CountDownLatch told = new CountDownLatch(1);
        election.addListener(new ElectionListener() {
            @Override
            public void elected(Lease lease) {
                long start = System.nanoTime();
                election.close();
                took.set(System.nanoTime() - start);
            }

            @Override
            public void demoted(Lease lease) {
                told.countDown();
            }
        });
        election.start();
        assertThat(told.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(took)
                .as("it was told of its end after the listener had returned")
                .doesNotHaveValue(-1);
        return took.get();
    }
}
