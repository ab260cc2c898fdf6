package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.jdbc.sqlite.ExpiryClock;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * An SQLite fixture measures, by hand: {@code cycles FILE}, {@code swap FILE HOLD_MS} in two processes at once, {@code wait
 * FILE SECONDS}.
 */
final class SqliteFixture {

    private SqliteFixture() {}

    public static void main(String[] args) throws Exception {
        try (TestClient client = new TestClient(Path.of(args[1]), ExpiryClock.ofThisMachine())) {
            switch (args[0]) {
                case "cycles" -> cycles(client);
                case "swap" -> swap(client, Path.of(args[1] + ".released"), Long.parseLong(args[2]));
                case "wait" -> await(client, Integer.parseInt(args[2]));
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private static void cycles(TestClient client) {
        for (int round = 0; round < 6; round++) {
            int n = 10_000;
            long start = System.nanoTime();
            for (int i = 0; i < n; i++) {
                client.release(client.acquire("bench"));
            }
            long nanos = System.nanoTime() - start;
            System.out.printf("%.0f cycles/s, %.1f µs per cycle%n", n * 1e9 / nanos, nanos / 1e3 / n);
        }
    }

    /** Takes the lock in turns with another process; a hand-over is timed from before the release to the signal. */
    private static void swap(TestClient client, Path released, long holdMillis) throws Exception {
        int n = holdMillis > 100 ? 20 : 300;
        long[] latency = new long[n];
        int measured = 0;
        int direct = 0;
        for (int turns = 0; measured < n && turns < 2 * n; turns++) {
            Claim claim = client.newClaim("swap");
            LeaseId held;
            if (client.ask(claim) instanceof ClaimAnswer.Granted granted) {
                held = granted.lease();
                direct++;
            } else {
                TestClient.Grant grant = client.grants.poll(A_MINUTE, TimeUnit.SECONDS);
                long now = System.nanoTime();
                if (grant == null) {
                    System.out.println("no signal");
                    break;
                }
                held = grant.lease();
                latency[measured++] = now - Long.parseLong(Files.readString(released));
                client.renew(held, TestClient.LEASE);
            }
            TimeUnit.MILLISECONDS.sleep(holdMillis);
            Files.writeString(released, Long.toString(System.nanoTime()));
            client.release(held);
        }
        long[] sorted = Arrays.copyOf(latency, measured);
        Arrays.sort(sorted);
        System.out.printf(
                "hold %d ms: %d direct, %d hand-overs, median %.2f ms, 90 %% %.2f ms, most %.2f ms%n",
                holdMillis,
                direct,
                measured,
                sorted[measured / 2] / 1e6,
                sorted[measured * 9 / 10] / 1e6,
                sorted[measured - 1] / 1e6);
    }

    /** Waits for a lock that another process holds, and tells what that costs. */
    private static void await(TestClient client, int seconds) throws Exception {
        Claim claim = client.newClaim("swap");
        client.ask(claim);
        for (int i = 0; i < seconds; i += 5) {
            long before = cpuMillis();
            TimeUnit.SECONDS.sleep(5);
            System.out.printf("waiting: %.2f %% of a core%n", (cpuMillis() - before) / 50.0);
            client.ask(claim);
        }
    }

    private static long cpuMillis() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1_000_000;
    }
}
