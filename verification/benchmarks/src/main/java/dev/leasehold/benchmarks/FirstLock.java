package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.server.StoreServer;
import dev.leasehold.benchmarks.worker.FirstLockMain;
import dev.leasehold.benchmarks.worker.WorkerProcess;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The first lock is measured in JVM after JVM, contestant after contestant, each of which acquires one. The first one of
 * each does not count.
 */
final class FirstLock {

    private FirstLock() {}

    static Map<Contestant, Samples> measure(Bench bench, Workload workload) throws Exception {
        Map<Contestant, Samples> samples = Bench.samples(workload);
        int rounds = bench.pace().rounds();
        for (int round = -1; round < rounds; round++) {
            List<Contestant> order = new ArrayList<>(samples.keySet());
            if (round % 2 != 0) {
                Collections.reverse(order);
            }
            for (Contestant contestant : order) {
                Samples own = Objects.requireNonNull(samples.get(contestant));
                Samples counted = round < 0 ? new Samples() : own;
                bench.survives(contestant, own, () -> once(bench, workload, contestant, counted));
            }
            bench.progress("round " + (round + 1) + " of " + rounds);
        }
        return samples;
    }

    private static void once(Bench bench, Workload workload, Contestant contestant, Samples samples) throws Exception {
        StoreServer server = bench.server(workload, contestant);
        List<String> arguments =
                List.of(contestant.peer().word(), server.kind().word(), server.uri(), Bench.lock(workload, contestant));
        long start = System.nanoTime();
        Process process = WorkerProcess.java(contestant.jvm(), FirstLockMain.class, arguments)
                .redirectError(ProcessBuilder.Redirect.appendTo(bench.log().toFile()))
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                if (words[0].equals("first")) {
                    samples.add(Metric.FIRST_ALL, (System.nanoTime() - start) / 1e6);
                    samples.add(Metric.FIRST, Long.parseLong(words[1]) / 1e6);
                    samples.add(Metric.FIRST_CPU, Long.parseLong(words[2]) / 1e6);
                    process.waitFor();
                    return;
                }
            }
            throw new IllegalStateException("it has ended without a lock");
        } finally {
            process.destroyForcibly();
        }
    }
}
