package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.server.StoreServer;
import dev.leasehold.benchmarks.worker.Grant;
import dev.leasehold.benchmarks.worker.Shape;
import dev.leasehold.benchmarks.worker.Turn;
import dev.leasehold.benchmarks.worker.WorkerGroup;
import dev.leasehold.benchmarks.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The killed half is half of the processes, which die while all work; the measurement looks at the others: how long none of
 * them was served, what they reach once the leases of the dead have ended, and what is left in the store when the survivors
 * have ended, too.
 */
final class KilledHalf {

    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration BEFORE = Duration.ofSeconds(2);
    private static final int MOST_ROUNDS = 3;

    private KilledHalf() {}

    static Map<Contestant, Samples> measure(Bench bench, Workload workload) throws Exception {
        Map<Contestant, Samples> samples = Bench.samples(workload);
        int rounds = rounds(bench.pace().rounds());
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<Contestant, Samples> each : samples.entrySet()) {
                String lock = Bench.lock(workload, each.getKey()) + "-" + round;
                if (each.getValue().failure().isEmpty()) {
                    bench.survives(
                            each.getKey(),
                            each.getValue(),
                            () -> once(bench, workload, each.getKey(), lock, each.getValue()));
                }
                bench.progress("round " + (round + 1) + " of " + rounds + ", "
                        + each.getKey().label());
            }
        }
        return samples;
    }

    /** Returns one round for fifteen of the other workloads', because each takes as long as several leases. */
    static int rounds(int rounds) {
        return Math.min(MOST_ROUNDS, Math.max(1, rounds / 15));
    }

    private static void once(Bench bench, Workload workload, Contestant contestant, String lock, Samples samples)
            throws Exception {
        Shape shape = workload.shape();
        Duration after = shape.lease().multipliedBy(2).plus(BEFORE);
        Duration whole = BEFORE.plus(after);
        StoreServer server = bench.server(workload, contestant);
        Turn turn;
        long killed;
        try (WorkerGroup group = bench.start(workload, contestant, lock, shape)) {
            group.turn(bench.pace().quick() ? Duration.ofMillis(300) : WARM_UP);
            long start = group.begin(whole);
            LockSupport.parkNanos(start + BEFORE.toNanos() - System.nanoTime());
            int half = shape.processes() / 2;
            killed = System.nanoTime();
            group.processes().subList(0, half).forEach(WorkerProcess::kill);
            turn = group.end(start, whole, group.processes().subList(half, shape.processes()));
        }
        read(turn, killed, shape, samples);
        LockSupport.parkNanos(shape.lease().plusSeconds(1).toNanos()); // So that sessions and leases have ended.
        server.leftovers(lock).ifPresent(left -> {
            samples.add(Metric.LEFT, left.entries());
            samples.add(Metric.ENDLESS, left.endless());
        });
    }

    private static void read(Turn turn, long killed, Shape shape, Samples samples) {
        List<Grant> before = between(turn, turn.start(), killed);
        long last = turn.end() - BEFORE.toNanos();
        List<Grant> end = between(turn, last, turn.end());
        samples.add(Metric.RATE_BEFORE, before.size() / ((killed - turn.start()) / 1e9));
        samples.add(Metric.RATE_AFTER, end.size() / ((turn.end() - last) / 1e9));
        long silence = 0;
        long served = killed;
        for (Grant grant : between(turn, killed, turn.end())) {
            silence = Math.max(silence, grant.given() - served);
            served = grant.given();
        }
        samples.add(Metric.SILENCE, Math.max(silence, turn.end() - served) / 1e9);
        samples.add(Metric.AT_ONCE, TurnReading.mostAtOnce(before));
        samples.add(Metric.AT_ONCE_AFTER, TurnReading.mostAtOnce(end));
        if (shape.kind() == Shape.Kind.READ_WRITE) {
            turn.grants().stream()
                    .filter(Grant::writer)
                    .forEach(grant -> samples.writerWaits().recordValue(Math.max(0, grant.given() - grant.asked())));
        }
    }

    private static List<Grant> between(Turn turn, long from, long to) {
        return turn.grants().stream()
                .filter(grant -> grant.given() - from >= 0 && grant.given() - to < 0)
                .toList();
    }
}
