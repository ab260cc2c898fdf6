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

    /** After so many slices of each contestant the display says how far the warm-up is. */
    private static final int SLICES_SHOWN = 5;

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
        warmUp();
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

    /** Lets all contestants work in turns until each is warm. One that is warm waits for the others. */
    private void warmUp() throws Exception {
        Map<Contestant, WarmUp> cold = new LinkedHashMap<>();
        groups.keySet()
                .forEach(contestant -> cold.put(
                        contestant, bench.pace().warmUp(workload.shape().processes())));
        for (int slices = 1; !cold.isEmpty(); slices++) {
            for (Map.Entry<Contestant, WarmUp> each : List.copyOf(cold.entrySet())) {
                Contestant contestant = each.getKey();
                WarmUp warmUp = each.getValue();
                if (!warmUp.next().isZero()) {
                    attempt(contestant, () -> slice(contestant, warmUp));
                }
                if (!groups.containsKey(contestant)) {
                    cold.remove(contestant);
                } else if (warmUp.next().isZero()) {
                    cold.remove(contestant);
                    of(contestant).add(Metric.WARM_UP, warmUp.took().toMillis() / 1e3);
                    bench.progress(
                            (warmUp.isSettled() ? "warm: " : "warmed up, not settled: ") + state(contestant, warmUp));
                }
            }
            if (slices % SLICES_SHOWN == 0 && !cold.isEmpty()) {
                StringBuilder line = new StringBuilder("warming up:");
                cold.forEach((contestant, warmUp) -> line.append("  ").append(state(contestant, warmUp)));
                bench.progress(line.toString());
            }
        }
    }

    private void slice(Contestant contestant, WarmUp warmUp) throws Exception {
        Duration length = warmUp.next();
        Turn turn = group(contestant).turn(length);
        warmUp.add(length, turn.compiling());
        warmUp.last().ifPresent(part -> of(contestant).add(Metric.WARMING, 100 * part));
        of(contestant).add(Metric.WARMING_RATE, turn.cycles() * 1e3 / length.toMillis());
    }

    private static String state(Contestant contestant, WarmUp warmUp) {
        StringBuilder state = new StringBuilder(
                String.format("%s %.1f s", contestant.label(), warmUp.took().toMillis() / 1e3));
        warmUp.last().ifPresent(part -> state.append(String.format(" (compiling %.1f %%)", 100 * part)));
        return state.toString();
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
