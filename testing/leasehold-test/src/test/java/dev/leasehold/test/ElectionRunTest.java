package dev.leasehold.test;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.ElectionListener;
import dev.leasehold.Lease;
import dev.leasehold.LeaseBody;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about work under a leadership: on a thread of its own, while this thread moves the time. */
class ElectionRunTest {

    private static final Duration LEASE = Candidates.LEASE;

    /** From the last confirmation to the margin before the deadline. */
    private static final Duration TERM = Duration.ofMillis(26_698);

    @AutoClose
    private final Candidates candidates = new Candidates();

    private final VirtualTime time = candidates.time;
    private final List<Thread> threads = new ArrayList<>();
    private final Candidate candidate = candidates.candidate("candidate");
    private final BlockingQueue<Lease> begun = new LinkedBlockingQueue<>();

    /** Campaigns on a thread of its own; completes with whether the thread was left interrupted. */
    private CompletableFuture<Boolean> run(LeaseBody<Exception> work) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                candidate.election.run(work);
                result.complete(Thread.currentThread().isInterrupted());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
        return result;
    }

    private void work(Lease lease) throws InterruptedException {
        begun.add(lease);
        new CountDownLatch(1).await();
    }

    private Lease begun() throws InterruptedException {
        Lease lease = begun.poll(A_MINUTE, TimeUnit.SECONDS);
        assertThat(lease).as("the work has begun").isNotNull();
        return lease;
    }

    private void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start)
                    .as("waiting until %s", what)
                    .isLessThan(TimeUnit.SECONDS.toNanos(A_MINUTE));
            Thread.onSpinWait();
        }
    }

    private static <T> T get(CompletableFuture<T> result) throws Exception {
        return result.get(A_MINUTE, TimeUnit.SECONDS);
    }

    /** Lets time pass until something has come of it on the other thread. */
    private void passUntil(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start)
                    .as("waiting until %s", what)
                    .isLessThan(TimeUnit.SECONDS.toNanos(A_MINUTE));
            time.advance(Duration.ofSeconds(1));
            LockSupport.parkNanos(1_000_000);
        }
    }

    @AfterEach
    void endWork() {
        candidates.endCampaigns();
        threads.forEach(Thread::interrupt);
    }

    @Test
    @DisplayName("Work that ends while it leads is done and the office is given back")
    void workThatEndsIsDoneAndTheOfficeGivenBack() throws Exception {
        CompletableFuture<Boolean> led = new CompletableFuture<>();
        assertThat(get(run(lease -> led.complete(candidate.election.isLeader() && lease.isValid()))))
                .isFalse();
        assertThat(led.join()).isTrue();
        assertThat(candidate.told).containsExactly("elected 1", "demoted 1");
        assertThat(candidate.election.isLeader()).isFalse();
        assertThat(candidate.client.locks("*")).isEmpty();
        assertThat(get(run(lease -> {}))).as("it may campaign again").isFalse();
        assertThat(candidate.told).hasSize(4);
    }

    @Test
    @DisplayName("An exception of work that leads is thrown, and the office is given back")
    void whatWorkThrowsIsThrownAndTheOfficeGivenBack() throws Exception {
        CompletableFuture<Boolean> result = run(lease -> {
            throw new IOException("planted");
        });
        assertThatThrownBy(() -> get(result))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessage("planted");
        assertThat(candidate.told).containsExactly("elected 1", "demoted 1");
        assertThat(candidate.client.locks("*")).isEmpty();
    }

    @Test
    @DisplayName("Work is interrupted at the margin and runs again in the next term")
    void workIsInterruptedAtTheMarginAndRunsAgain() throws Exception {
        CompletableFuture<Boolean> result = run(this::work);
        Lease first = begun();
        candidate.line.down(true);
        time.advance(TERM.minusMillis(1));
        assertThat(candidate.election.isLeader()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(candidate.election.isLeader()).isFalse();
        await("the work has ended", () -> !first.isValid());
        candidate.line.down(false);
        passUntil("the work runs again", () -> !begun.isEmpty());
        Lease second = begun();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(candidate.told).containsExactly("elected 1", "demoted 1", "elected 2");
        candidate.election.close();
        assertThat(get(result)).as("an interrupt of ours is left").isFalse();
    }

    @Test
    void nobodyElseLeadsBeforeTheWorkHasEnded() throws Exception {
        Candidate other = candidates.candidate("other");
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CompletableFuture<Boolean> result = run(lease -> {
            begun.add(lease);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.complete(lease.isValid());
            }
            end.await();
        });
        begun();
        other.election.start();
        assertThat(candidate.election.resign()).isTrue();
        assertThat(candidate.election.isLeader()).isFalse();
        assertThat(get(interrupted)).as("the lease is valid still").isTrue();
        assertThat(other.election.isLeader()).isFalse();
        time.advance(Duration.ofSeconds(5));
        assertThat(other.election.isLeader()).isFalse();
        end.countDown();
        await("the other leads", other.election::isLeader);
        assertThat(result).isNotDone();
    }

    @Test
    void workThatDoesNotEndKeepsTheOfficeForALeaseAtMost() throws Exception {
        Candidate other = candidates.candidate("other");
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> result = run(lease -> {
            begun.add(lease);
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    candidate.told.add("ignored");
                }
            }
        });
        Lease lease = begun();
        other.election.start();
        candidate.election.resign();
        await("it was interrupted", () -> candidate.told.contains("ignored"));
        time.advance(LEASE.plusSeconds(1));
        assertThat(other.election.isLeader()).isTrue();
        assertThat(lease.isValid()).isFalse();
        end.countDown();
        candidate.election.close();
        get(result);
    }

    @Test
    void workDoesNotBeginInATermThatIsOver() throws Exception {
        candidate.election.addListener(new ElectionListener() {
            @Override
            public void elected(Lease lease) {
                if (candidate.terms.size() == 1) {
                    candidate.election.resign();
                }
            }
        });
        run(this::work);
        passUntil("the work has begun", () -> !begun.isEmpty());
        assertThat(begun().token()).isEqualTo(candidate.terms.get(1));
    }

    @Test
    void whatWorkThrowsAfterItsTermIsNotThrown() throws Exception {
        CompletableFuture<Boolean> result = run(lease -> {
            begun.add(lease);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IOException("a consequence", e);
            }
        });
        begun();
        candidate.election.resign();
        passUntil("the work runs again", () -> !begun.isEmpty());
        begun();
        candidate.election.close();
        assertThat(get(result)).isFalse();
    }

    @Test
    void anOutageFromTheStartIsWaitedFor() throws Exception {
        candidate.line.down(true);
        CompletableFuture<Boolean> result = run(lease -> {});
        for (int i = 0; i < 60; i++) {
            time.advance(Duration.ofSeconds(1));
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(result).isNotDone();
        candidate.line.down(false);
        passUntil("it has led", result::isDone);
        assertThat(get(result)).isFalse();
    }

    @Test
    void anErrorIsThrownAlsoAfterTheTerm() throws Exception {
        CompletableFuture<Boolean> result = run(lease -> {
            begun.add(lease);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new StackOverflowError("planted");
            }
        });
        begun();
        candidate.election.resign();
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void workThatWasInDoubtAtItsEndRunsAgain() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> result = run(lease -> {
            begun.add(lease);
            end.await();
        });
        begun();
        candidate.line.down(true);
        time.jumpWallClock(Duration.ofHours(1));
        end.countDown();
        candidate.line.down(false);
        await("its term has ended", () -> candidate.told.contains("demoted 1"));
        passUntil("the work is done", result::isDone);
        get(result);
        assertThat(begun()).isNotNull();
        assertThat(candidate.told).containsExactly("elected 1", "demoted 1", "elected 2", "demoted 2");
    }

    @Test
    void closingEndsTheWaitAndTheWork() throws Exception {
        Candidate leader = candidates.candidate("leader");
        leader.election.start();
        CompletableFuture<Boolean> result = run(this::work);
        await("it waits", this::isWaitedFor);
        candidate.election.close();
        assertThat(get(result)).isFalse();
        assertThat(isWaitedFor()).isFalse();
        assertThat(candidate.told).isEmpty();
    }

    @Test
    void anInterruptEndsTheWaitAndLeavesNothing() throws Exception {
        Candidate leader = candidates.candidate("leader");
        leader.election.start();
        CompletableFuture<Boolean> result = run(this::work);
        await("it waits", this::isWaitedFor);
        threads.get(0).interrupt();
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(isWaitedFor()).isFalse();
    }

    private boolean isWaitedFor() {
        try {
            return candidate.client.locks("office").stream()
                    .anyMatch(lock -> !lock.waiters().isEmpty());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anInterruptOfSomebodyElseReachesTheWorkAndIsKept() throws Exception {
        CompletableFuture<Boolean> thrown = run(this::work);
        begun();
        threads.get(0).interrupt();
        assertThatThrownBy(() -> get(thrown)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(candidate.told).containsExactly("elected 1", "demoted 1");
        CompletableFuture<Boolean> kept = run(lease -> Thread.currentThread().interrupt());
        assertThat(get(kept)).as("the interrupt").isTrue();
    }

    @Test
    void workMayEndItsTermAndItsCampaignItself() throws Exception {
        CompletableFuture<Boolean> result = run(lease -> {
            begun.add(lease);
            if (begun.size() == 1) {
                assertThat(candidate.election.resign()).isTrue();
            } else {
                candidate.election.close();
            }
        });
        passUntil("it is closed", result::isDone);
        assertThat(get(result)).isFalse();
        assertThat(begun).hasSize(2);
    }

    @Test
    void closingTheClientEndsTheWorkWithAnException() throws Exception {
        CompletableFuture<Boolean> result = run(this::work);
        Lease lease = begun();
        candidate.client.close();
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingTheClientEndsThePauseAfterATerm() throws Exception {
        CompletableFuture<Boolean> result = run(this::work);
        Lease lease = begun();
        candidate.election.resign();
        await("it pauses", () -> !lease.isValid());
        candidate.client.close();
        assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void oneCampaignAtATime() throws Exception {
        run(this::work);
        begun();
        assertThatThrownBy(() -> candidate.election.run(lease -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(candidate.election::start).isInstanceOf(IllegalStateException.class);
        assertThat(candidate.election.awaitLeadership(Duration.ZERO)).isPresent();
    }
}
