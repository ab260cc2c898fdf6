package dev.leasehold.benchmarks.study;

import com.sun.management.ThreadMXBean;
import dev.leasehold.DistributedLock;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LeaseholdObserver;
import dev.leasehold.benchmarks.report.Median;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What observers cost: one thread acquires and releases a lock in memory that nobody else wants, so that nothing but the
 * engine is measured. The clients take turns in the order A-B-C-C-B-A; what counts is the median of the rounds. Bytes are
 * those that the thread itself has allocated.
 */
final class ObserverCost {

    private record Contestant(String name, Leasehold client, List<Double> nanos, List<Double> bytes) {}

    private final PrintStream out;
    private final int rounds;
    private final Duration round;

    ObserverCost(PrintStream out, int rounds, Duration round) {
        this.out = out;
        this.rounds = rounds;
        this.round = round;
    }

    void run() throws InterruptedException {
        List<Contestant> all = List.of(
                contestant("no observer", builder -> builder),
                contestant("no-op observer", builder -> builder.observer(new LeaseholdObserver() {})),
                contestant(
                        "two no-op observers",
                        builder -> builder.observer(new LeaseholdObserver() {}).observer(new LeaseholdObserver() {})));
        List<Contestant> there = new ArrayList<>(all);
        List<Contestant> back = new ArrayList<>(all);
        java.util.Collections.reverse(back);
        for (int i = 0; i < 2 * rounds + 6; i++) {
            for (Contestant each : i % 2 == 0 ? there : back) {
                measure(each, i >= 6);
            }
        }
        for (Contestant each : all) {
            out.printf(
                    "%-22s %8.0f ns %8.0f bytes per cycle%n", each.name(), median(each.nanos()), median(each.bytes()));
            each.client().close();
        }
    }

    private static Contestant contestant(String name, UnaryOperator<LeaseholdBuilder> settings) {
        Leasehold client = settings.apply(Leasehold.builder().uri("memory:")).build();
        return new Contestant(name, client, new ArrayList<>(), new ArrayList<>());
    }

    private void measure(Contestant of, boolean counts) throws InterruptedException {
        DistributedLock lock = of.client().lock("benchmark");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long bytes = threads.getThreadAllocatedBytes(self);
        long start = System.nanoTime();
        long end = start + round.toNanos();
        long cycles = 0;
        long now;
        do {
            for (int i = 0; i < 100; i++) {
                lock.acquire().close();
            }
            cycles += 100;
            now = System.nanoTime();
        } while (now - end < 0);
        if (counts) {
            of.nanos().add((double) (now - start) / cycles);
            of.bytes().add((double) (threads.getThreadAllocatedBytes(self) - bytes) / cycles);
        }
    }

    private static double median(List<Double> values) {
        return Median.of(values).value();
    }
}
