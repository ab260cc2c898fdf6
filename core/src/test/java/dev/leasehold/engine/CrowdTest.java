package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A thousand threads of one process are one waiter to the store, and are served in the order in which they came. */
class CrowdTest {

    private static final int HAND_OVERS = 64;

    @Test
    @DisplayName("A thousand threads are served in order with two operations per run")
    void aThousandThreadsAreServedWithTwoOperationsARun() throws Exception {
        serve(1_000, task -> {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        });
    }

    @Test
    @DisplayName("Ten thousand virtual threads are served in order, with two operations per run")
    void tenThousandVirtualThreadsAreServedInOrder() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        serve(10_000, task -> (Thread) start.invoke(null, task));
    }

    private interface Starter {
        Thread start(Runnable task) throws Exception;
    }

    private static void serve(int count, Starter starter) throws Exception {
        WrappedStore store = new WrappedStore();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        try (Leasehold leasehold = Leasehold.builder()
                .store(store)
                .timeSource(new StoppedTimeSource())
                .build()) {
            DistributedLock lock = leasehold.lock("crowded");
            Lease gate = lock.acquire();
            for (int i = 0; i < count; i++) {
                int number = i;
                Thread thread = starter.start(() -> {
                    try (Lease lease = lock.acquire()) {
                        served.add(number);
                        tokens.add(lease.token());
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                });
                threads.add(thread);
                awaitWaiting(thread);
            }
            int before = store.operations.get();
            assertThat(before).as("all of them wait without the store").isEqualTo(1);
            gate.close();
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(A_MINUTE));
                assertThat(thread.isAlive()).isFalse();
            }
            assertThat(failures).isEmpty();
            assertThat(served).hasSize(count).isSorted();
            assertThat(tokens).isSorted().doesNotHaveDuplicates();
            int runs = (count + HAND_OVERS - 1) / HAND_OVERS;
            assertThat(store.operations.get()).isLessThanOrEqualTo(2 * runs + 2);
        }
    }

    private static void awaitWaiting(Thread thread) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(A_MINUTE);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(System.nanoTime() - end).as(thread + " does not wait").isNegative();
            Thread.onSpinWait();
        }
    }
}
