package dev.leasehold.engine.threads;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CallbackThreadsTest {

    private final Queue<Thread> made = new ConcurrentLinkedQueue<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final CallbackThreads threads = new CallbackThreads(this::make, 3600);

    private Thread make(Runnable task) {
        Thread thread = new Thread(task) {
            @Override
            public void start() {
                if (failures.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
        thread.setDaemon(true);
        made.add(thread);
        return thread;
    }

    @AfterEach
    void end() {
        threads.close();
    }

    @Test
    @DisplayName("What came while no thread could be had runs with the first task for which one can")
    void afterAFailedStartTasksRunAgain() throws InterruptedException {
        failures.set(2);
        CountDownLatch ran = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            threads.execute(ran::countDown);
        }
        assertThat(ran.await(A_MINUTE, SECONDS)).isTrue();
    }

    @Test
    void whatFoundNoThreadRunsAtTheEndAtTheLatest() {
        failures.set(1);
        AtomicInteger ran = new AtomicInteger();
        threads.execute(ran::incrementAndGet);
        threads.close();
        assertThat(ran).hasValue(1);
        threads.execute(ran::incrementAndGet);
        assertThat(ran).hasValue(2);
    }

    @Test
    void fifteenThatBlockKeepNoOtherFromRunning() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(15);
        CountDownLatch goOn = new CountDownLatch(1);
        for (int i = 0; i < 15; i++) {
            threads.execute(() -> {
                blocked.countDown();
                sleepUntil(goOn);
            });
        }
        assertThat(blocked.await(A_MINUTE, SECONDS)).isTrue();
        CountDownLatch ran = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            threads.execute(ran::countDown);
        }
        assertThat(ran.await(A_MINUTE, SECONDS)).isTrue();
        assertThat(made).hasSizeLessThanOrEqualTo(16);
        goOn.countDown();
    }

    @Test
    void oneThatIsInterruptedOrThrowsTakesTheNextTask() {
        AtomicInteger ran = new AtomicInteger();
        for (int i = 1; i <= 40; i++) {
            threads.execute(() -> {
                ran.incrementAndGet();
                Thread.currentThread().interrupt();
                throw new AssertionError("of a task");
            });
        }
        await().until(() -> ran.get() == 40);
    }

    @Test
    void allEndWhenNothingIsLeft() throws InterruptedException {
        for (int round = 1; round <= 300; round++) {
            CountDownLatch ran = new CountDownLatch(4);
            CallbackThreads own = new CallbackThreads(this::make, 3600);
            for (int i = 0; i < 4; i++) {
                own.execute(ran::countDown);
            }
            assertThat(ran.await(A_MINUTE, SECONDS)).isTrue();
            own.close();
        }
        for (Thread thread : made) {
            thread.join(SECONDS.toMillis(A_MINUTE));
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static void sleepUntil(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
