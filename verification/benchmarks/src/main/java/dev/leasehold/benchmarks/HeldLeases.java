package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.server.StoreServer;
import dev.leasehold.benchmarks.worker.WorkerGroup;
import dev.leasehold.benchmarks.worker.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Held leases are very many in one process; the measurement looks at what their renewal costs, over two rounds of renewals,
 * after three that are not looked at: in the first the JVM's compilers take several times as much of the processor as the
 * renewals do.
 */
final class HeldLeases {

    private static final int RENEWALS_PER_LEASE = 3;
    private static final long MOST_SECONDS = 180;

    private HeldLeases() {}

    static Map<Contestant, Samples> measure(Bench bench, Workload workload) throws Exception {
        Map<Contestant, Samples> samples = Bench.samples(workload);
        for (Map.Entry<Contestant, Samples> each : samples.entrySet()) {
            bench.survives(each.getKey(), each.getValue(), () -> once(bench, workload, each.getKey(), each.getValue()));
            bench.progress(each.getKey().label());
        }
        return samples;
    }

    private static void once(Bench bench, Workload workload, Contestant contestant, Samples samples) throws Exception {
        StoreServer server = bench.server(workload, contestant);
        List<String> jvm = new ArrayList<>(List.of("-Xmx3g"));
        jvm.addAll(contestant.jvm());
        Contestant large = new Contestant(contestant.peer(), contestant.store(), contestant.label(), jvm);
        Duration interval = workload.shape().lease().dividedBy(RENEWALS_PER_LEASE);
        Duration window = bench.pace().quick() ? Duration.ofSeconds(1) : interval.multipliedBy(2);
        try (WorkerGroup group = bench.start(workload, large, Bench.lock(workload, contestant), workload.shape())) {
            WorkerProcess process = group.processes().get(0);
            process.send("hold " + workload.count());
            String[] holding = process.await("holding", MOST_SECONDS);
            samples.add(Metric.HELD, Double.parseDouble(holding[1]));
            samples.add(Metric.HEAP, Double.parseDouble(holding[2]) / workload.count());
            LockSupport.parkNanos(
                    bench.pace().quick() ? 0 : interval.multipliedBy(3).toNanos());
            double before = cost(process);
            long server0 = server.cpuNanos();
            long start = System.nanoTime();
            LockSupport.parkNanos(window.toNanos());
            double took = System.nanoTime() - start;
            double client = cost(process) - before;
            samples.add(Metric.CLIENT_CORE, 100 * client / took);
            samples.add(Metric.SERVER_CORE, 100 * (server.cpuNanos() - server0) / took);
            samples.add(Metric.RENEWAL, client / 1e3 / (workload.count() * took / interval.toNanos()));
        }
    }

    private static double cost(WorkerProcess process) throws InterruptedException {
        process.send("cost");
        return Double.parseDouble(process.await("cost", MOST_SECONDS)[1]);
    }
}
