package dev.leasehold.engine.threads;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SystemTimeTest {

    private final SystemTime time = new SystemTime("leasehold-timer-test");

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void readsBothClocks() {
        long wallBefore = System.currentTimeMillis() * 1000;
        long before = System.nanoTime();
        ClockReading reading = time.now();
        long after = System.nanoTime();
        assertThat(reading.nanos() - before).isBetween(0L, after - before);
        assertThat(reading.wallMicros()).isBetween(wallBefore, System.currentTimeMillis() * 1000 + 1_000);
    }

    @Test
    void runsWhatIsDueOnADaemonThreadOfItsOwn() throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        time.schedule(Duration.ofSeconds(-1), () -> {
            thread.set(Thread.currentThread());
            ran.countDown();
        });
        assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(thread.get().isDaemon()).isTrue();
        assertThat(thread.get().getName()).isEqualTo("leasehold-timer-test");
    }

    @Test
    void theLongestDelayDoesNotOverflow() throws InterruptedException {
        time.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> {
            throw new AssertionError("now?");
        });
        CountDownLatch ran = new CountDownLatch(1);
        time.schedule(Duration.ZERO, ran::countDown);
        assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
    }

    /**
     * Callers' stacks end somewhere in schedule or cancel; each thread tries on its way back, where a little more is left each
     * time. One that ended inside the lock of the JDK's executor took it along.
     */
    @Test
    @DisplayName("whatever becomes of a full stack, timers fire and the thread ends")
    void aFullStackStopsNoTimer() throws InterruptedException {
        AtomicInteger hours = new AtomicInteger();
        AtomicInteger overflows = new AtomicInteger();
        Runnable attempt = () -> {
            try {
                time.schedule(Duration.ofMillis(400), () -> {}).cancel();
                time.schedule(Duration.ofHours(hours.incrementAndGet()), () -> {})
                        .cancel();
            } catch (StackOverflowError e) {
                overflows.incrementAndGet();
                throw e;
            }
        };
        // The JVM never initialises a class again that a full stack has kept from it.
        attempt.run();
        for (int run = 0; run < 200; run++) {
            int padding = run % 11;
            Thread deep = new Thread(null, () -> recurse(padding, attempt), "deep", 256 * 1024L);
            deep.start();
            deep.join();
            CountDownLatch ran = new CountDownLatch(1);
            time.schedule(Duration.ofNanos(1), ran::countDown);
            assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(overflows).hasPositiveValue();
        Thread thread = threadOfTimers();
        time.close();
        thread.join(TimeUnit.SECONDS.toMillis(A_MINUTE));
        assertThat(thread.isAlive()).isFalse();
    }

    private Thread threadOfTimers() throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        time.schedule(Duration.ZERO, () -> {
            thread.set(Thread.currentThread());
            ran.countDown();
        });
        assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        return thread.get();
    }

    /** The thread sleeps until the first task is due, or for ever; each must wake it that is due before. */
    @Test
    void aTaskThatIsDueEarlierWakesTheThread() throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            // Long enough, now and then, for the thread to sleep without end.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(i));
            TimeSource.Timer late = time.schedule(Duration.ofHours(1), () -> {});
            CountDownLatch ran = new CountDownLatch(1);
            time.schedule(Duration.ofMillis(i % 3), ran::countDown);
            assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
            late.cancel();
        }
    }

    @Test
    @DisplayName("A timer beside one whose start of the thread failed has the thread started")
    void oneFailedStartLeavesNoOtherTimerAlone() throws Exception {
        CountDownLatch starts = new CountDownLatch(1);
        CountDownLatch lookedAgain = new CountDownLatch(2);
        AtomicBoolean fails = new AtomicBoolean(true);
        SystemTime time = new SystemTime(work -> new Thread(work) {
            @Override
            public void start() {
                if (fails.getAndSet(false)) {
                    starts.countDown();
                    uninterruptibly(lookedAgain);
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }

            @Override
            public State getState() {
                if (starts.getCount() == 0) {
                    lookedAgain.countDown();
                }
                return super.getState();
            }
        });
        CompletableFuture<?> failing = CompletableFuture.runAsync(() -> time.schedule(Duration.ZERO, () -> {}));
        uninterruptibly(starts);
        CountDownLatch ran = new CountDownLatch(1);
        time.schedule(Duration.ZERO, ran::countDown);
        while (lookedAgain.getCount() > 0) {
            lookedAgain.countDown();
        }
        assertThatThrownBy(failing::join).hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        time.close();
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anInterruptDoesNotKeepTheThreadFromSleeping() throws InterruptedException {
        Thread thread = threadOfTimers();
        thread.interrupt();
        assertThat(threadOfTimers()).isSameAs(thread);
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING && !thread.isInterrupted());
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private static long recurse(long padding, Runnable attempt) {
        try {
            return recurse(padding + 1, attempt) + padding;
        } catch (StackOverflowError e) {
            attempt.run();
            return padding;
        }
    }

    @Test
    void afterItsEndItRefusesSilently() {
        time.close();
        time.schedule(Duration.ZERO, () -> {}).cancel();
    }
}
