package dev.leasehold.redis;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Many contenders in several processes want one lock of a quorum again and again, with the gate and without. Each contender
 * is a client of its own. As a program: {@code main} without arguments measures both, in turns.
 */
final class QuorumContention {

    /** A grant says to which contender the lock was granted, when asked for, when given, in nanoseconds of the machine. */
    private record Grant(int contender, long token, long asked, long given) {}

    /**
     * A result is that of a measurement.
     *
     * @param moved grants to another contender than the one before, per second
     * @param failed attempts that failed, per grant
     * @param least grants of the contender that got fewest
     * @param longest wait of any contender, in milliseconds
     */
    record Result(double moved, double grants, double failed, int contenders, long least, long most, double longest) {

        /** Returns the share of failed attempts in all. */
        double failedShare() {
            return failed / (failed + 1);
        }
    }

    private QuorumContention() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            contend(args);
            System.exit(0);
        }
        try (Masters masters = Masters.start(5)) {
            RedlockStore.of(masters.uris()).initialize();
            for (int round = 1; round <= 3; round++) {
                System.out.println("with the gate:    " + run(masters, true, 4, 8, Duration.ofSeconds(8)));
                System.out.println("without the gate: " + run(masters, false, 4, 8, Duration.ofSeconds(8)));
            }
        }
        System.exit(0);
    }

    static Result run(Masters masters, boolean gated, int processes, int each, Duration length) throws Exception {
        String lock = "contended-" + gated + System.nanoTime();
        List<Process> all = new ArrayList<>();
        List<BufferedReader> said = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                List<String> command = new ArrayList<>(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        QuorumContention.class.getName(),
                        lock,
                        Boolean.toString(gated),
                        Integer.toString(each),
                        Long.toString(length.toNanos())));
                masters.servers.forEach(server -> command.add(server.uri()));
                Process process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                all.add(process);
                said.add(process.inputReader(StandardCharsets.UTF_8));
            }
            for (BufferedReader one : said) {
                expect(one, "ready");
            }
            for (Process process : all) {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            }
            List<Grant> grants = new ArrayList<>();
            long attempts = 0;
            for (int i = 0; i < processes; i++) {
                for (String line = said.get(i).readLine();
                        line != null;
                        line = said.get(i).readLine()) {
                    long[] numbers = Arrays.stream(line.split(" "))
                            .mapToLong(Long::parseLong)
                            .toArray();
                    if (numbers.length == 1) {
                        attempts += numbers[0];
                    } else {
                        grants.add(new Grant(i * each + (int) numbers[0], numbers[1], numbers[2], numbers[3]));
                    }
                }
            }
            return result(grants, attempts, processes * each);
        } finally {
            all.forEach(Process::destroyForcibly);
        }
    }

    private static void expect(BufferedReader said, String word) throws Exception {
        for (String line = said.readLine(); !word.equals(line); line = said.readLine()) {
            if (line == null) {
                throw new IllegalStateException("a contender has failed before it began");
            }
        }
    }

    private static Result result(List<Grant> grants, long attempts, int contenders) {
        grants.sort(Comparator.comparingLong(Grant::token));
        long[] counts = new long[contenders];
        long moved = 0;
        long longest = 0;
        for (int i = 0; i < grants.size(); i++) {
            Grant grant = grants.get(i);
            counts[grant.contender()]++;
            longest = Math.max(longest, grant.given() - grant.asked());
            moved += i > 0 && grants.get(i - 1).contender() != grant.contender() ? 1 : 0;
        }
        double seconds = (grants.get(grants.size() - 1).given() - grants.get(0).given()) / 1e9;
        return new Result(
                moved / seconds,
                grants.size() / seconds,
                (double) attempts / grants.size() - 1,
                contenders,
                Arrays.stream(counts).min().orElse(0),
                Arrays.stream(counts).max().orElse(0),
                longest / 1e6);
    }

    private static void contend(String[] args) throws Exception {
        String name = args[0];
        int count = Integer.parseInt(args[2]);
        long length = Long.parseLong(args[3]);
        List<RedisURI> uris = Arrays.stream(args).skip(4).map(RedisURI::create).toList();
        RedisClient redis = RedisClient.create();
        RedlockStore gated = RedlockStore.using(redis, uris);
        RedlockStore store = Boolean.parseBoolean(args[1]) ? gated : gated.withoutGate();
        List<Leasehold> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Leasehold client = Leasehold.builder()
                    .store(store)
                    .storeTimeout(Duration.ofSeconds(60))
                    .build();
            client.lock("warm-" + i).acquire().close();
            clients.add(client);
        }
        System.out.println("ready");
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        List<List<String>> lines = new ArrayList<>();
        CountDownLatch open = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            List<String> own = new ArrayList<>();
            lines.add(own);
            int number = i;
            Thread thread = new Thread(() -> {
                try {
                    contend(clients.get(number).lock(name), number, length, own, redis, uris);
                } catch (Exception e) {
                    e.printStackTrace();
                } finally {
                    open.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        open.await();
        lines.forEach(own -> own.forEach(System.out::println));
    }

    private static void contend(
            DistributedLock lock, int number, long length, List<String> lines, RedisClient redis, List<RedisURI> uris)
            throws InterruptedException {
        long end = System.nanoTime() + length;
        boolean last;
        do {
            long asked = System.nanoTime();
            try (Lease lease = lock.acquire()) {
                long given = System.nanoTime();
                lines.add(number + " " + lease.token() + " " + asked + " " + given);
                last = given - end > 0;
                if (last) {
                    lines.add(Long.toString(attempts(lock.name(), lease.token(), redis, uris)));
                }
            }
        } while (!last);
    }

    /** Attempts are numbered, and the holder's is on the masters; the first one of each client warmed it up. */
    private static long attempts(String lock, long token, RedisClient redis, List<RedisURI> uris) {
        for (RedisURI uri : uris) {
            try (var connection = redis.connect(uri)) {
                String value = connection.sync().get("leasehold:{" + lock + "}");
                String[] parts = value == null ? new String[0] : value.split("\\|", 5);
                if (parts.length == 5 && parts[3].equals(Long.toString(token))) {
                    return Long.parseLong(parts[2].substring(parts[2].indexOf(':') + 1)) - 1;
                }
            }
        }
        throw new IllegalStateException("no master has the lease " + token);
    }
}
