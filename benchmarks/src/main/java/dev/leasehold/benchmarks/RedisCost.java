package dev.leasehold.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares variants of Leasehold on one Redis by what a cycle of acquire and release costs: cycles per second, processor time of
 * client and server per cycle, and the bytes that the client allocates. Each turn runs in processes of its own, so a variant may
 * be other classes, or another system property. The variants take turns forwards and backwards, A B B A; the first half of each
 * turn warms up. One process has its locks to itself, one for each thread; several hand one over. A thread may work for a while
 * (which is to say, sleep) while it has the lock, and again before it asks for it again.
 *
 * <pre>java -cp … dev.leasehold.benchmarks.RedisCost ROUNDS SECONDS PROCESSES THREADS MICROSECONDS 'JVM ARGUMENTS OF A' …</pre>
 */
public final class RedisCost {

    private static final Pattern CPU = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");

    private RedisCost() {}

    /** What one turn has measured, per cycle except for the rate. */
    private record Turn(double rate, double clientMicros, double serverMicros, double bytes) {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("worker")) {
            work(args[1], Long.parseLong(args[2]), Integer.parseInt(args[3]), Long.parseLong(args[4]));
            System.exit(0);
        }
        int rounds = Integer.parseInt(args[0]);
        int processes = Integer.parseInt(args[2]);
        List<String> load = List.of(args[1], args[3], args[4]);
        List<String> variants = List.of(args).subList(5, args.length);
        List<List<Turn>> turns = new ArrayList<>();
        variants.forEach(variant -> turns.add(new ArrayList<>()));
        try (RedisProcess redis = RedisProcess.start(RedisProcess.Version.V7_0)) {
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < variants.size(); i++) {
                    int which = round % 2 == 0 ? i : variants.size() - 1 - i;
                    Turn turn = turn(redis, variants.get(which), processes, load);
                    turns.get(which).add(turn);
                    print((char) ('A' + which) + " " + round, turn);
                }
            }
        }
        for (int i = 0; i < variants.size(); i++) {
            List<Turn> all = turns.get(i);
            print(
                    "median of " + (char) ('A' + i) + ": " + variants.get(i),
                    new Turn(
                            median(all.stream().mapToDouble(Turn::rate).toArray()),
                            median(all.stream().mapToDouble(Turn::clientMicros).toArray()),
                            median(all.stream().mapToDouble(Turn::serverMicros).toArray()),
                            median(all.stream().mapToDouble(Turn::bytes).toArray())));
        }
        System.exit(0);
    }

    private static double median(double[] values) {
        return Uncontended.median(values);
    }

    private static void print(String what, Turn turn) {
        System.out.printf(
                "%8.0f cycles/s, per cycle: client %6.1f µs, server %5.1f µs, %6.0f bytes  %s%n",
                turn.rate, turn.clientMicros, turn.serverMicros, turn.bytes, what);
    }

    private static Turn turn(RedisProcess redis, String variant, int processes, List<String> load) throws Exception {
        List<Process> workers = new ArrayList<>();
        RedisClient watching = RedisClient.create(redis.uri());
        try (StatefulRedisConnection<String, String> server = watching.connect()) {
            for (int i = 0; i < processes; i++) {
                workers.add(start(variant, redis.uri(), load));
            }
            List<BufferedReader> said = new ArrayList<>();
            for (Process worker : workers) {
                BufferedReader reader = new BufferedReader(new InputStreamReader(worker.getInputStream()));
                if (!"ready".equals(reader.readLine())) {
                    throw new IllegalStateException("a worker has failed before it began: " + variant);
                }
                said.add(reader);
            }
            for (Process worker : workers) {
                worker.getOutputStream().write("go\n".getBytes(StandardCharsets.UTF_8));
                worker.getOutputStream().flush();
            }
            for (BufferedReader each : said) {
                each.readLine();
            }
            double before = cpuMicros(server);
            double[] sums = new double[4];
            for (BufferedReader each : said) {
                String[] parts = each.readLine().split(" ");
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += Double.parseDouble(parts[i]);
                }
            }
            double after = cpuMicros(server);
            return new Turn(
                    sums[0] / sums[1] * processes, sums[2] / sums[0], (after - before) / sums[0], sums[3] / sums[0]);
        } finally {
            workers.forEach(Process::destroyForcibly);
            watching.shutdown();
        }
    }

    private static double cpuMicros(StatefulRedisConnection<String, String> server) {
        Matcher cpu = CPU.matcher(server.sync().info("cpu"));
        double micros = 0;
        while (cpu.find()) {
            micros += Double.parseDouble(cpu.group(1)) * 1e6;
        }
        return micros;
    }

    private static Process start(String variant, String uri, List<String> load) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path")));
        if (!variant.isBlank()) {
            command.addAll(List.of(variant.split(" ")));
        }
        command.addAll(List.of(RedisCost.class.getName(), "worker", uri));
        command.addAll(load);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Warms up for half of the time and says "warm"; in the end says cycles, seconds, processor µs and bytes. */
    private static void work(String uri, long seconds, int width, long micros) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ExecutorService workers = Executors.newFixedThreadPool(width);
        try (Leasehold client = Leasehold.connect(uri)) {
            cycles(client, workers, width, 0, micros);
            System.out.println("ready");
            new BufferedReader(new InputStreamReader(System.in)).readLine();
            cycles(client, workers, width, seconds * 500_000_000L, micros);
            System.out.println("warm");
            long cpu = system.getProcessCpuTime();
            long bytes = allocated(threads);
            long start = System.nanoTime();
            long count = cycles(client, workers, width, seconds * 500_000_000L, micros);
            double took = (System.nanoTime() - start) / 1e9;
            System.out.println(count + " " + took + " " + (system.getProcessCpuTime() - cpu) / 1e3 + " "
                    + (allocated(threads) - bytes));
        } finally {
            workers.shutdownNow();
        }
    }

    /** At least one cycle on each thread. */
    private static long cycles(Leasehold client, ExecutorService workers, int width, long nanos, long micros)
            throws Exception {
        long end = System.nanoTime() + nanos;
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < width; i++) {
            DistributedLock lock = client.lock("cost" + i);
            tasks.add(() -> {
                long count = 0;
                do {
                    try (Lease lease = lock.acquire()) {
                        pause(micros);
                    }
                    pause(micros);
                    count++;
                } while (System.nanoTime() - end < 0);
                return count;
            });
        }
        long sum = 0;
        for (Future<Long> each : workers.invokeAll(tasks)) {
            sum += each.get();
        }
        return sum;
    }

    private static void pause(long micros) {
        if (micros > 0) {
            LockSupport.parkNanos(micros * 1000);
        }
    }

    private static long allocated(ThreadMXBean threads) {
        long sum = 0;
        for (long each : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, each);
        }
        return sum;
    }
}
