package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show who does what, and in which order, when callers' threads carry tasks out. */
class WorkersTest {

    private static final int MOST = 4;

    private final Workers workers = new Workers("leasehold-workers-test", MOST);
    private final Queue<String> done = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        workers.close();
    }

    private Workers.Task task(String lock, String what, CountDownLatch finished) {
        return new Workers.Task(lock, () -> note(what, finished), () -> {
            note(what, finished);
            return null;
        });
    }

    private void note(String what, CountDownLatch finished) {
        boolean worker = Thread.currentThread().getName().startsWith("leasehold-");
        done.add(what + (worker ? " by a worker" : " by the caller"));
        finished.countDown();
    }

    @Test
    void aCallerWorksOnlyAfterItsRequestHasReturned() {
        CountDownLatch finished = new CountDownLatch(1);
        workers.runOnCaller(() -> {
            workers.submit(task("a", "claim", finished));
            done.add("asked");
        });
        assertThat(done).containsExactly("asked", "claim by the caller");
    }

    @Test
    void aThreadOutsideOfARequestDoesNothing() throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(2);
        workers.runOnCaller(() -> {});
        workers.submit(task("a", "one", finished));
        workers.runOnCaller(() -> workers.submit(new Workers.Task("b", () -> note("two", finished))));
        finished.await();
        assertThat(done).containsExactlyInAnyOrder("one by a worker", "two by a worker");
    }

    @Test
    void aCallerDoesOneTaskAndWorkersTheOthers() throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(3);
        workers.runOnCaller(() -> {
            workers.submit(task("a", "a", finished));
            workers.submit(task("b", "b", finished));
            workers.submit(task("c", "c", finished));
        });
        finished.await();
        assertThat(done).containsExactlyInAnyOrder("a by the caller", "b by a worker", "c by a worker");
    }

    /** Claims wait for rows that somebody keeps locked, and so do those who renew or release such a lease. */
    @Test
    void renewalsFindAWorkerThatOthersHaveLeft() throws InterruptedException {
        Workers many = new Workers("leasehold-workers-test", 8);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch renewed = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) {
            many.submit(new Workers.Task("claimed-" + i, () -> awaitQuietly(never)));
        }
        many.submit(new Workers.Task(Workers.Rank.HELD, "held", released::countDown, null));
        assertThat(released.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 20; i++) {
            many.submit(new Workers.Task(Workers.Rank.HELD, "stuck-" + i, () -> awaitQuietly(never), null));
        }
        many.submit(new Workers.Task(Workers.Rank.BATCH, null, renewed::countDown, null));
        assertThat(renewed.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        never.countDown();
        many.close();
    }

    /** Rows of held locks that somebody keeps locked cost the claims of other locks nothing, and the other way round. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void noRankFillsAllPlaces(int places) throws InterruptedException {
        for (Workers.Rank stuck : List.of(Workers.Rank.HELD, Workers.Rank.OTHER)) {
            Workers some = new Workers("leasehold-workers-test", places);
            CountDownLatch never = new CountDownLatch(1);
            CountDownLatch ran = new CountDownLatch(1);
            for (int i = 0; i < 10; i++) {
                some.submit(new Workers.Task(stuck, "stuck-" + i, () -> awaitQuietly(never), null));
            }
            Workers.Rank other = stuck == Workers.Rank.HELD ? Workers.Rank.OTHER : Workers.Rank.HELD;
            some.submit(new Workers.Task(other, "free", ran::countDown, null));
            assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS))
                    .as("%s ran", other)
                    .isTrue();
            never.countDown();
            some.close();
        }
    }

    @Test
    void whatStandsBeforeAReleaseGoesAsEarly() throws InterruptedException {
        Workers some = new Workers("leasehold-workers-test", 8);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        for (int i = 0; i < 10; i++) {
            some.submit(new Workers.Task("stuck-" + i, () -> awaitQuietly(never)));
        }
        some.submit(new Workers.Task("shared", () -> {}));
        some.submit(new Workers.Task(Workers.Rank.HELD, "shared", released::countDown, null));
        assertThat(released.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        never.countDown();
        some.close();
    }

    /** A withdrawal never overtakes the claim. */
    @Test
    void whatComesForTheSameLockWaitsForTheCaller() throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(3);
        workers.runOnCaller(() -> {
            workers.submit(task("a", "claim", finished));
            workers.submit(task("a", "withdrawal", finished));
            workers.submit(task("b", "other", finished));
            awaitOne(done); // The other lock's, by a worker.
            assertThat(done).containsExactly("other by a worker");
        });
        finished.await();
        assertThat(done).containsExactly("other by a worker", "claim by the caller", "withdrawal by a worker");
    }

    private static void awaitOne(Queue<String> done) {
        while (done.isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatACallerHasNotSettledIsDoneBeforeWhatCameLater() throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(2);
        workers.runOnCaller(() -> {
            workers.submit(new Workers.Task("a", () -> note("wrong", finished), () -> {
                done.add("attempt");
                return () -> note("rest", finished);
            }));
            workers.submit(task("a", "withdrawal", finished));
        });
        finished.await();
        assertThat(done).containsExactly("attempt", "rest by a worker", "withdrawal by a worker");
    }

    @Test
    void aLockThatIsBeingWorkedOnIsNotGivenToACaller() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch finished = new CountDownLatch(2);
        workers.submit(new Workers.Task("a", () -> {
            begun.countDown();
            awaitQuietly(goOn);
            note("first", finished);
        }));
        begun.await();
        workers.runOnCaller(() -> workers.submit(task("a", "second", finished)));
        assertThat(done).isEmpty();
        goOn.countDown();
        finished.await();
        assertThat(done).containsExactly("first by a worker", "second by a worker");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void callersAndWorkersTogetherAreNoMoreThanAllowed() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger byCallers = new AtomicInteger();
        int threads = 50;
        int each = 40;
        CountDownLatch finished = new CountDownLatch(threads * each);
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String lock = "lock-" + i;
            Runnable work = () -> {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                Thread.yield();
                now.decrementAndGet();
                finished.countDown();
            };
            callers.add(new Thread(() -> {
                awaitQuietly(start);
                for (int j = 0; j < each; j++) {
                    boolean unsettled = j % 4 == 0;
                    workers.runOnCaller(() -> workers.submit(new Workers.Task(lock, work, () -> {
                        byCallers.incrementAndGet();
                        if (unsettled) {
                            return work;
                        }
                        work.run();
                        return null;
                    })));
                }
            }));
        }
        callers.forEach(Thread::start);
        assertThat(finished.await(A_MINUTE, TimeUnit.SECONDS))
                .as("all %d done, left %d", threads * each, finished.getCount())
                .isTrue();
        assertThat(most.get()).isBetween(1, MOST);
        assertThat(byCallers.get()).isPositive();
    }

    private static void awaitQuietly(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whenAllPlacesAreTakenByCallersWorkersWaitForOne() throws Exception {
        CountDownLatch begun = new CountDownLatch(MOST);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch finished = new CountDownLatch(1);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            String lock = "lock-" + i;
            Workers.CallerTask once = () -> {
                begun.countDown();
                awaitQuietly(goOn);
                done.add("caller");
                return null;
            };
            Workers.Task task = new Workers.Task(Workers.Rank.BATCH, lock, () -> {}, once);
            Thread caller = new Thread(() -> workers.runOnCaller(() -> workers.submit(task)));
            callers.add(caller);
            caller.start();
        }
        begun.await();
        workers.runOnCaller(() -> workers.submit(task("more", "more", finished)));
        awaitIdleWorker();
        assertThat(done).isEmpty();
        goOn.countDown();
        finished.await();
        assertThat(done).contains("more by a worker").first().isEqualTo("caller");
        for (Thread caller : callers) {
            caller.join();
        }
    }

    /** Until the worker that was started for the task has found that it may not take it, or has taken it. */
    private void awaitIdleWorker() {
        while (done.isEmpty()
                && Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("leasehold-workers-test"))
                        .noneMatch(thread -> thread.getState() == Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void closingWaitsForCallers() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        Thread caller =
                new Thread(() -> workers.runOnCaller(() -> workers.submit(new Workers.Task("a", () -> {}, () -> {
                    begun.countDown();
                    awaitQuietly(goOn);
                    ended.set(true);
                    return () -> done.add("after the end");
                }))));
        caller.start();
        begun.await();
        Thread closing = new Thread(workers::close);
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        closing.join();
        assertThat(ended).isTrue();
        caller.join();
        assertThat(done).isEmpty();
        assertThat(workers.submit(task("a", "late", new CountDownLatch(1)))).isFalse();
    }
}
