package dev.leasehold.engine.threads;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    /** Each thread tries on its way back from the end of its stack, where a little more is left each time. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("a stack that ends in schedule or cancel ends before the executor's heap, or the buckets, are touched")
    void aFullStackLeavesTheHeapAlone() throws InterruptedException {
        AtomicReference<StackOverflowError> last = new AtomicReference<>();
        AtomicInteger hours = new AtomicInteger();
        Runnable attempt = () -> {
            try {
                time.schedule(Duration.ofMillis(400), () -> {}).cancel();
                time.schedule(Duration.ofHours(hours.incrementAndGet()), () -> {})
                        .cancel();
            } catch (StackOverflowError e) {
                last.set(e);
                throw e;
            }
        };
        // The JVM links what is called for the first time, which takes more of the stack than all else.
        attempt.run();
        for (int run = 0; run < 40; run++) {
            last.set(null);
            int padding = run % 11;
            Thread deep = new Thread(null, () -> recurse(padding, attempt), "deep", 256 * 1024L);
            deep.start();
            deep.join();
            StackOverflowError end = last.get();
            if (end != null) {
                assertThat(end.getStackTrace())
                        .noneMatch(frame -> frame.getClassName().startsWith("java.util.concurrent.Scheduled")
                                || frame.getClassName().startsWith("java.util.TreeMap"));
            }
        }
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
