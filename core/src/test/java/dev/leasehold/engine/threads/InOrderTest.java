package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InOrderTest {

    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();

    @Test
    void runsTasksInOrderOneAtATime() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            InOrder inOrder = new InOrder(pool);
            AtomicInteger atWork = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            List<Integer> order = new ArrayList<>();
            CountDownLatch done = new CountDownLatch(10_000);
            for (int i = 0; i < 10_000; i++) {
                int number = i;
                inOrder.execute(() -> {
                    most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
                    order.add(number);
                    atWork.decrementAndGet();
                    done.countDown();
                });
            }
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(most).hasValue(1);
            assertThat(order).isSorted().hasSize(10_000);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void takesNoThreadBeforeItIsItsTurn() {
        InOrder inOrder = new InOrder(executor::add);
        inOrder.execute(() -> log.add("a"));
        inOrder.execute(() -> log.add("b"));
        assertThat(executor).hasSize(1);
        runAll();
        assertThat(log).containsExactly("a", "b");
        inOrder.execute(() -> log.add("c"));
        runAll();
        assertThat(log).containsExactly("a", "b", "c");
    }

    @Test
    void aTaskThatThrowsDoesNotKeepTheNextFromRunning() {
        InOrder inOrder = new InOrder(executor::add);
        inOrder.execute(() -> {
            throw new AssertionError("a listener");
        });
        inOrder.execute(() -> log.add("b"));
        assertThatThrownBy(this::runAll).hasMessage("a listener");
        runAll();
        assertThat(log).containsExactly("b");
    }

    private void runAll() {
        for (Runnable task = executor.poll(); task != null; task = executor.poll()) {
            task.run();
        }
    }
}
