package dev.leasehold.benchmarks;

import dev.leasehold.servers.RedisProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Several processes of one thread each contend for one lock, and do nothing while they hold it. Counted are the grants that
 * went to another process than the one before: what a library that lets the same process win again and again does not do.
 * The first half of each round is for warming up. The clock of {@link System#nanoTime} is the same in all processes.
 */
final class HandOver {

    private final PrintStream out;
    private final int rounds;
    private final Duration round;

    HandOver(PrintStream out, int rounds, Duration round) {
        this.out = out;
        this.rounds = rounds;
        this.round = round;
    }

    /** A grant: to whom, when asked for, when given. */
    private record Grant(int process, long asked, long given) {}

    /**
     * What was measured.
     *
     * @param moved grants to another process than the one before, per second: the median of the rounds
     * @param grants all grants per second, the median
     * @param ratio of {@code moved} to that of the first kind in the same round, the median
     * @param waits from asking to being granted, in nanoseconds, all rounds together
     */
    record Result(String kind, int processes, double moved, double grants, double ratio, Histogram waits) {}

    List<Result> run(List<String> kinds, int processes) throws Exception {
        Map<String, List<double[]>> counted = new LinkedHashMap<>();
        Map<String, Histogram> waits = new LinkedHashMap<>();
        try (RedisProcess redis = RedisProcess.start(RedisProcess.Version.V7_0)) {
            for (int i = 0; i < rounds; i++) {
                for (String kind : kinds) {
                    Histogram histogram = waits.computeIfAbsent(kind, any -> new Histogram(3));
                    double[] rates = round(redis, kind, processes, "lock-" + i, histogram);
                    counted.computeIfAbsent(kind, any -> new ArrayList<>()).add(rates);
                    out.printf(
                            "round %d of %d, %d processes, %s: %.0f grants per second, %.0f of them to another process%n",
                            i + 1, rounds, processes, kind, rates[1], rates[0]);
                }
            }
        }
        List<Result> results = new ArrayList<>();
        for (String kind : kinds) {
            List<double[]> own = counted.get(kind);
            List<double[]> first = counted.get(kinds.get(0));
            double[] ratios = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                ratios[i] = own.get(i)[0] / first.get(i)[0];
            }
            results.add(new Result(
                    kind,
                    processes,
                    Uncontended.median(
                            own.stream().mapToDouble(rates -> rates[0]).toArray()),
                    Uncontended.median(
                            own.stream().mapToDouble(rates -> rates[1]).toArray()),
                    Uncontended.median(ratios),
                    waits.get(kind)));
        }
        return results;
    }

    private double[] round(RedisProcess redis, String kind, int processes, String lock, Histogram waits)
            throws Exception {
        Path directory = Files.createTempDirectory("leasehold-contenders-");
        List<Process> contenders = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                contenders.add(start(kind, redis.uri(), lock, directory.resolve("times-" + i)));
            }
            for (Process contender : contenders) {
                awaitReady(contender);
            }
            for (Process contender : contenders) {
                contender.getOutputStream().write((round.toNanos() + "\n").getBytes(StandardCharsets.UTF_8));
                contender.getOutputStream().flush();
            }
            List<Grant> grants = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                if (contenders.get(i).waitFor() != 0) {
                    throw new IllegalStateException("a contender of " + kind + " has failed");
                }
                read(directory.resolve("times-" + i), i, grants);
            }
            return rates(grants, waits);
        } finally {
            contenders.forEach(Process::destroyForcibly);
            for (int i = 0; i < processes; i++) {
                Files.deleteIfExists(directory.resolve("times-" + i));
            }
            Files.delete(directory);
        }
    }

    private static Process start(String kind, String uri, String lock, Path times) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Contender.class.getName(),
                        kind,
                        uri,
                        lock,
                        times.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void awaitReady(Process contender) throws IOException {
        BufferedReader said = new BufferedReader(new InputStreamReader(contender.getInputStream()));
        for (String line = said.readLine(); !"ready".equals(line); line = said.readLine()) {
            if (line == null) {
                throw new IllegalStateException("a contender has failed before it began");
            }
        }
    }

    private static void read(Path times, int process, List<Grant> grants) throws IOException {
        LongBuffer longs = ByteBuffer.wrap(Files.readAllBytes(times)).asLongBuffer();
        while (longs.hasRemaining()) {
            grants.add(new Grant(process, longs.get(), longs.get()));
        }
    }

    private double[] rates(List<Grant> grants, Histogram waits) {
        grants.sort(Comparator.comparingLong(Grant::given));
        if (grants.isEmpty()) {
            return new double[2];
        }
        long from = grants.get(0).given() + round.toNanos() / 2;
        int all = 0;
        int moved = 0;
        Grant last = grants.get(0);
        for (Grant grant : grants) {
            if (grant.given() - from >= 0) {
                all++;
                moved += grant.process() == last.process() ? 0 : 1;
                waits.recordValue(Math.max(0, grant.given() - grant.asked()));
            }
            last = grant;
        }
        double seconds = Math.max(1, last.given() - from) / 1e9;
        return new double[] {moved / seconds, all / seconds};
    }

    static void print(PrintStream out, List<Result> results) {
        out.printf("%n| processes | | moved grants/s | all grants/s | ratio | wait: median | 99 %% | longest |%n");
        out.printf("|---:|---|---:|---:|---:|---:|---:|---:|%n");
        for (Result each : results) {
            out.printf(
                    "| %d | %s | %.0f | %.0f | %.2f | %.2f ms | %.1f ms | %.0f ms |%n",
                    each.processes(),
                    each.kind(),
                    each.moved(),
                    each.grants(),
                    each.ratio(),
                    each.waits().getValueAtPercentile(50) / 1e6,
                    each.waits().getValueAtPercentile(99) / 1e6,
                    each.waits().getMaxValue() / 1e6);
        }
    }
}
