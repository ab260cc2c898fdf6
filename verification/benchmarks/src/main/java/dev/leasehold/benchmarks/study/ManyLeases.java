package dev.leasehold.benchmarks.study;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.cluster.SlotHash;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Many leases are held by one client in a cluster of three masters. For a while all is well; then one master hangs for
 * longer than a lease; then it goes on.
 */
final class ManyLeases {

    private static final int SLOTS = 16384;
    private static final int HUNG = 1;
    private static final int MOST_AT_ONCE = 200;

    private final PrintStream out;
    private final int count;
    private final LockOptions options;
    private final Duration quiet;
    private final Duration hang;

    private final int[] masters;
    private final Lease[] leases;
    private final AtomicIntegerArray risks;

    ManyLeases(PrintStream out, int count, Duration lease, Duration quiet, Duration hang) {
        this.out = out;
        this.count = count;
        this.options = LockOptions.defaults().withLeaseDuration(lease);
        this.quiet = quiet;
        this.hang = hang;
        masters = new int[count];
        leases = new Lease[count];
        risks = new AtomicIntegerArray(count);
    }

    /**
     * A report tells what became of the leases.
     *
     * @param onHung how many were held on the master that hung
     * @param healthyAtRisk how many on the others were ever at risk or lost
     * @param hungLostInTime how many on the hung master were reported lost one lease after it had hung
     * @param regained how many of those lost were acquired anew after it went on
     * @param kept how many on the others were still held in the end
     * @param renewals how often a second, while all was well
     * @param commandsPerRead how many commands a master found each time it read from its connection
     * @param cpuMicros the time of a processor that a renewal took the client
     * @param bytesPerLease on the heap
     */
    record Report(
            int count,
            int onHung,
            int healthyAtRisk,
            int hungLostInTime,
            int regained,
            int kept,
            double renewals,
            double commandsPerRead,
            double cpuMicros,
            double bytesPerLease) {

        void print(PrintStream out) {
            out.printf("%n| of %d leases of one client | |%n|---|---:|%n", count);
            out.printf("| renewals per second | %.0f |%n", renewals);
            out.printf("| commands per read of a server | %.1f |%n", commandsPerRead);
            out.printf("| client's CPU per renewal | %.1f µs |%n", cpuMicros);
            out.printf("| client's heap per lease | %.0f bytes |%n", bytesPerLease);
            out.printf("| on healthy masters | %d |%n", count - onHung);
            out.printf("| of them ever at risk or lost | %d |%n", healthyAtRisk);
            out.printf("| of them held in the end | %d |%n", kept);
            out.printf("| on the master that hung | %d |%n", onHung);
            out.printf("| of them reported lost in time | %d |%n", hungLostInTime);
            out.printf("| of them acquired anew afterwards | %d |%n", regained);
        }
    }

    Report run() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            for (RedisProcess server : cluster.servers) {
                server.commands().configSet("cluster-require-full-coverage", "no");
            }
            long heapBefore = heap();
            try (Leasehold client = Leasehold.connect("redis-cluster://" + cluster.addresses())) {
                return run(cluster, client, heapBefore);
            } finally {
                cluster.servers.get(HUNG).signal("CONT");
            }
        }
    }

    private Report run(RedisGroup cluster, Leasehold client, long heapBefore) throws Exception {
        for (int i = 0; i < count; i++) {
            masters[i] = master(SlotHash.getSlot("leasehold:{" + name(i) + "}"), cluster.servers.size());
        }
        long start = System.nanoTime();
        acquire(client, all(), true);
        out.printf("acquired %d locks in %.1f s%n", count, (System.nanoTime() - start) / 1e9);
        double bytes = (double) (heap() - heapBefore) / count;

        cluster.servers.forEach(server -> server.commands().configResetstat());
        long cpuBefore = cpu();
        start = System.nanoTime();
        watch("all is well", quiet);
        double seconds = (System.nanoTime() - start) / 1e9;
        long cpu = cpu() - cpuBefore;
        double renewals = cluster.servers.stream()
                .mapToLong(server -> stat(server, "commandstats", "cmdstat_evalsha:calls=(\\d+)"))
                .sum();
        double reads = cluster.servers.stream()
                .mapToLong(server -> stat(server, "stats", "total_reads_processed:(\\d+)"))
                .sum();

        cluster.servers.get(HUNG).signal("STOP");
        long hungAt = System.nanoTime();
        watch("one master hangs", options.leaseDuration());
        int lostInTime = count(true, LeaseState.LOST);
        watch("one master hangs", hang.minusNanos(System.nanoTime() - hungAt));
        cluster.servers.get(HUNG).signal("CONT");
        List<Integer> lost = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (masters[i] == HUNG) {
                lost.add(i);
            }
        }
        int atRisk = 0;
        start = System.nanoTime();
        acquire(client, lost, false);
        out.printf("acquired %d locks anew in %.1f s%n", lost.size(), (System.nanoTime() - start) / 1e9);
        watch("all is well again", Duration.ofSeconds(2));
        for (int i = 0; i < count; i++) {
            atRisk += masters[i] == HUNG ? 0 : risks.get(i);
        }
        return new Report(
                count,
                lost.size(),
                atRisk,
                lostInTime,
                count(true, LeaseState.HELD),
                count(false, LeaseState.HELD),
                renewals / seconds,
                renewals / reads,
                cpu / 1e3 / renewals,
                bytes);
    }

    /** The slots are spread as {@link RedisGroup#cluster} does it. */
    private static int master(int slot, int all) {
        int master = all - 1;
        while (slot < SLOTS * master / all) {
            master--;
        }
        return master;
    }

    private static String name(int i) {
        return "lock-" + i;
    }

    private List<Integer> all() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(i);
        }
        return all;
    }

    private void acquire(Leasehold client, List<Integer> which, boolean listen) throws Exception {
        Deque<CompletableFuture<Lease>> asked = new ArrayDeque<>();
        for (int n = 0; n < which.size() + MOST_AT_ONCE; n++) {
            if (n >= MOST_AT_ONCE && !asked.isEmpty()) {
                int i = which.get(n - MOST_AT_ONCE);
                leases[i] = asked.remove().get(60, TimeUnit.SECONDS);
                if (listen) {
                    leases[i].addListener((lease, state) -> noted(i, state));
                }
            }
            if (n < which.size()) {
                asked.add(client.lock(name(which.get(n)), options).acquireAsync());
            }
        }
    }

    private void noted(int i, LeaseState state) {
        if (state == LeaseState.AT_RISK || state == LeaseState.LOST) {
            risks.set(i, 1);
        }
    }

    private void watch(String phase, Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
            LockSupport.parkNanos(Math.min(end - now, 1_000_000_000L));
            out.printf(
                    "%-20s healthy masters: %d held, %d at risk, %d lost; the other: %d held, %d at risk, %d lost%n",
                    phase,
                    count(false, LeaseState.HELD),
                    count(false, LeaseState.AT_RISK),
                    count(false, LeaseState.LOST),
                    count(true, LeaseState.HELD),
                    count(true, LeaseState.AT_RISK),
                    count(true, LeaseState.LOST));
        }
    }

    private int count(boolean onHung, LeaseState state) {
        int found = 0;
        for (int i = 0; i < count; i++) {
            found += (masters[i] == HUNG) == onHung && leases[i].state() == state ? 1 : 0;
        }
        return found;
    }

    private static long stat(RedisProcess server, String section, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(server.commands().info(section));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long heap() {
        long[] used = new long[3];
        for (int i = 0; i < used.length; i++) {
            System.gc();
            used[i] = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        }
        return Arrays.stream(used).min().orElseThrow();
    }
}
