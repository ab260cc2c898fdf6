package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.worker.Shape;
import dev.leasehold.benchmarks.worker.WorkerGroup;
import dev.leasehold.benchmarks.worker.WorkerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * The killed holder dies at some moment between two of its renewals, while another process waits for the lock; the
 * measurement takes the time until that one has it. Nearly all of that time is waiting for a lease to end, so all
 * contestants are at it at once.
 */
final class KilledHolder {

    private static final int MOST_ROUNDS = 7;
    private static final long MOST_SECONDS = 90;

    private KilledHolder() {}

    static Map<Contestant, Samples> measure(Bench bench, Workload workload) throws Exception {
        Map<Contestant, Samples> samples = Bench.samples(workload);
        for (Contestant contestant : workload.contestants()) {
            bench.server(workload, contestant); // Started by this thread, not by several at once.
        }
        int rounds = Math.min(MOST_ROUNDS, bench.pace().rounds());
        ExecutorService threads = Executors.newFixedThreadPool(samples.size());
        try {
            for (int round = 0; round < rounds; round++) {
                int number = round;
                List<Callable<Void>> tasks = new ArrayList<>();
                samples.forEach((contestant, own) -> tasks.add(() -> {
                    bench.survives(
                            contestant, own, () -> own.add(Metric.GAP, once(bench, workload, contestant, number)));
                    return null;
                }));
                for (Future<Void> done : threads.invokeAll(tasks)) {
                    done.get();
                }
                bench.progress("round " + (round + 1) + " of " + rounds);
            }
        } finally {
            threads.shutdownNow();
        }
        return samples;
    }

    private static double once(Bench bench, Workload workload, Contestant contestant, int round) throws Exception {
        Shape shape = workload.shape();
        try (WorkerGroup group =
                bench.start(workload, contestant, Bench.lock(workload, contestant) + "-" + round, shape)) {
            WorkerProcess holder = group.processes().get(0);
            WorkerProcess waiter = group.processes().get(1);
            holder.send("acquire");
            holder.await("held", MOST_SECONDS);
            waiter.send("acquire");
            long lease = shape.lease().toNanos();
            LockSupport.parkNanos(lease / 10 + new SplittableRandom(round).nextLong(lease));
            long killed = System.nanoTime();
            holder.kill();
            return (Long.parseLong(waiter.await("held", MOST_SECONDS)[1]) - killed) / 1e9;
        }
    }
}
