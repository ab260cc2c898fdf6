package dev.leasehold.spring.boot.observation;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.leasehold.DistributedLock;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.observe.LeaseholdObserver;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * This test measures what metrics cost when one thread acquires and releases a lock in memory that nobody else wants:
 * bytes that all threads allocate per cycle, since observers learn of the end of a hold on a thread of the client's.
 * The figures of a run are in target/observation-cost.txt, those that were taken last in docs/internal/decisions.md, with the
 * command.
 */
@Tag("slow")
class ObservationCostTest {

    private static final int CYCLES = 4000;
    private static final int ROUNDS = 7;

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private static long bytesPerCycle(LeaseholdObserver... observers) throws InterruptedException {
        LeaseholdBuilder builder = Leasehold.builder().uri("memory:");
        for (LeaseholdObserver observer : observers) {
            builder.observer(observer);
        }
        long[] rounds = new long[ROUNDS];
        try (Leasehold client = builder.build()) {
            DistributedLock lock = client.lock("cost");
            for (int round = 0; round < ROUNDS; round++) {
                long before = allocated();
                for (int i = 0; i < CYCLES; i++) {
                    lock.acquire().close();
                }
                rounds[round] = (allocated() - before) / CYCLES;
            }
        }
        // The first rounds run before the compiler has seen the code.
        return Arrays.stream(rounds, ROUNDS / 2, ROUNDS).min().orElseThrow();
    }

    @Test
    void metricsAllocateLittleMoreThanTheLockItself() throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));

        long bare = bytesPerCycle();
        long off = bytesPerCycle(new ObservationObserver(ObservationRegistry.NOOP, null));
        long counted = bytesPerCycle(new MeterObserver(meters));
        long timed = bytesPerCycle(new ObservationObserver(observations, null));
        long both = bytesPerCycle(new ObservationObserver(observations, null), new MeterObserver(meters));

        List<String> figures = List.of(
                figure("no observer", bare),
                figure("observations, no handler", off),
                figure("counters and gauges", counted),
                figure("observations as timers", timed),
                figure("both", both));
        Files.write(Path.of("target", "observation-cost.txt"), figures);
        assertThat(off - bare).as("an observer that is off: %s", figures).isLessThan(bare / 4);
        assertThat(both).as("metrics of all kinds: %s", figures).isBetween(bare, 6 * bare);
        await().until(() -> meters.get("leasehold.hold").timer().count() == 2L * ROUNDS * CYCLES);
    }

    private static String figure(String what, long bytes) {
        return String.format(Locale.ROOT, "%-26s %6d bytes per cycle", what, bytes);
    }
}
