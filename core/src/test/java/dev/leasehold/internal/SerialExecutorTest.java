package dev.leasehold.internal;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {

    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();

    @Test
    void runsTasksInOrderOneAtATime() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            SerialExecutor serial = SerialExecutor.on(pool);
            AtomicInteger atWork = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            List<Integer> order = new ArrayList<>();
            CountDownLatch done = new CountDownLatch(10_000);
            for (int i = 0; i < 10_000; i++) {
                int number = i;
                serial.execute(() -> {
                    most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
                    order.add(number);
                    atWork.decrementAndGet();
                    done.countDown();
                });
            }
            assertThat(done.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
            assertThat(most).hasValue(1);
            assertThat(order).isSorted().hasSize(10_000);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void takesNoThreadBeforeItIsItsTurn() {
        SerialExecutor serial = SerialExecutor.on(executor::add);
        serial.execute(() -> log.add("a"));
        serial.execute(() -> log.add("b"));
        assertThat(executor).hasSize(1);
        runAll();
        assertThat(log).containsExactly("a", "b");
        serial.execute(() -> log.add("c"));
        runAll();
        assertThat(log).containsExactly("a", "b", "c");
    }

    @Test
    void aTaskThatThrowsDoesNotKeepTheNextFromRunning() {
        SerialExecutor serial =
                new SerialExecutor(executor::add, executor::add, 1, failure -> log.add(failure.getMessage()));
        serial.execute(() -> {
            throw new AssertionError("a listener");
        });
        serial.execute(() -> log.add("b"));
        runAll();
        assertThat(log).containsExactly("a listener", "b");
    }

    @Test
    void whereNoThreadCanBeHadTasksWaitForTheNextThatComes() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        SerialExecutor serial = SerialExecutor.on(task -> {
            if (refuses.get()) {
                throw new RejectedExecutionException("no thread");
            }
            executor.add(task);
        });
        assertThatThrownBy(() -> serial.execute(() -> log.add("a"))).hasMessage("no thread");
        refuses.set(false);
        serial.execute(() -> log.add("b"));
        runAll();
        assertThat(log).containsExactly("a", "b");
    }

    @Test
    void nobodyIsKeptForEverByWhatOthersBring() {
        SerialExecutor serial = new SerialExecutor(Runnable::run, executor::add, 2, failure -> {});
        serial.execute(() -> {
            for (int i = 0; i < 5; i++) {
                String number = "" + i;
                serial.execute(() -> log.add(number));
            }
        });
        assertThat(log).containsExactly("0");
        runAll();
        assertThat(log).containsExactly("0", "1", "2", "3", "4");
    }

    @Test
    void whereTheOtherExecutorIsGoneTheRestIsDoneHere() {
        SerialExecutor serial = new SerialExecutor(Runnable::run, task -> {}, 1, failure -> {});
        serial.execute(() -> serial.execute(() -> log.add("left")));
        assertThat(log).isEmpty();
        serial.stayHere();
        assertThat(log).containsExactly("left");
        serial.execute(() -> serial.execute(() -> log.add("next")));
        assertThat(log).containsExactly("left", "next");
    }

    private void runAll() {
        for (Runnable task = executor.poll(); task != null; task = executor.poll()) {
            task.run();
        }
    }
}
