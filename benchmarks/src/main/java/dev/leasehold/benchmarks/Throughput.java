package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.server.StoreServer;
import dev.leasehold.benchmarks.worker.Turn;
import dev.leasehold.benchmarks.worker.WorkerGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Throughput is measured by letting all contestants acquire and release as fast as they can, in short turns forwards and
 * backwards, so that whatever else the machine does hits them all, and a machine that gets slower hits none more than
 * another.
 */
final class Throughput {

    private static final int WARM_UPS = 3;
    private static final Duration PROBE = Duration.ofMillis(200);

    private final Bench bench;
    private final Workload workload;
    private final Map<Contestant, Samples> samples;
    private final Map<Contestant, WorkerGroup> groups = new LinkedHashMap<>();

    private Throughput(Bench bench, Workload workload) {
        this.bench = bench;
        this.workload = workload;
        samples = Bench.samples(workload);
    }

    static Map<Contestant, Samples> measure(Bench bench, Workload workload) throws Exception {
        Throughput throughput = new Throughput(bench, workload);
        try {
            throughput.run();
        } finally {
            throughput.groups.values().forEach(WorkerGroup::close);
        }
        return throughput.samples;
    }

    private void run() throws Exception {
        for (Contestant contestant : workload.contestants()) {
            bench.survives(
                    contestant,
                    of(contestant),
                    () -> groups.put(
                            contestant,
                            bench.start(workload, contestant, Bench.lock(workload, contestant), workload.shape())));
        }
        for (int i = 0; i < WARM_UPS; i++) {
            for (Contestant contestant : List.copyOf(groups.keySet())) {
                attempt(
                        contestant,
                        () -> group(contestant)
                                .turn(bench.pace()
                                        .warmUp(workload.shape().processes())
                                        .dividedBy(WARM_UPS)));
            }
        }
        for (int round = 0; round < bench.pace().rounds(); round++) {
            List<Contestant> order = new ArrayList<>(groups.keySet());
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (Contestant contestant : order) {
                attempt(contestant, () -> turn(contestant));
            }
            StringBuilder line = new StringBuilder(String.format(
                    "round %2d of %d, per second:", round + 1, bench.pace().rounds()));
            for (Contestant contestant : groups.keySet()) {
                List<Double> values = of(contestant).of(workload.columns().get(0));
                if (!values.isEmpty()) {
                    line.append(String.format("  %s %.0f", contestant.label(), values.get(values.size() - 1)));
                }
            }
            bench.progress(line.toString());
        }
        for (Contestant contestant : List.copyOf(groups.keySet())) {
            attempt(contestant, () -> countRequests(contestant));
        }
    }

    private Samples of(Contestant contestant) {
        Samples found = samples.get(contestant);
        if (found == null) {
            throw new IllegalArgumentException(contestant.label());
        }
        return found;
    }

    private WorkerGroup group(Contestant contestant) {
        WorkerGroup found = groups.get(contestant);
        if (found == null) {
            throw new IllegalArgumentException(contestant.label());
        }
        return found;
    }

    private void attempt(Contestant contestant, Bench.Measuring measuring) throws InterruptedException {
        if (!bench.survives(contestant, of(contestant), measuring)) {
            WorkerGroup failed = groups.remove(contestant);
            if (failed != null) {
                failed.close();
            }
        }
    }

    private void turn(Contestant contestant) throws Exception {
        StoreServer server = bench.server(workload, contestant);
        long cpu = server.cpuNanos();
        Turn turn = group(contestant).turn(bench.pace().turn());
        TurnReading.add(turn, workload.shape(), server.cpuNanos() - cpu, of(contestant));
    }

    private void countRequests(Contestant contestant) throws Exception {
        long[] cycles = new long[1];
        long requests = bench.server(workload, contestant)
                .requestsDuring(() -> cycles[0] = group(contestant).turn(PROBE).cycles());
        if (requests >= 0 && cycles[0] > 0) {
            of(contestant).add(Metric.REQUESTS, (double) requests / cycles[0]);
        }
    }
}
