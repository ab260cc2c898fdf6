package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
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
        assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
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
        assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void afterItsEndItRefusesSilently() {
        time.close();
        time.schedule(Duration.ZERO, () -> {}).cancel();
    }
}
