package dev.leasehold.benchmarks;

import dev.leasehold.servers.RedisProcess;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One thread acquires and releases a lock that nobody else wants, as fast as it can. All peers run in the same process,
 * against the same server, in short rounds that take turns, so that whatever else the machine does hits them all; what
 * counts is the median of the rounds, and the ratio to the bare one in the same round.
 */
final class Uncontended {

    private final PrintStream out;
    private final int rounds;
    private final Duration round;

    Uncontended(PrintStream out, int rounds, Duration round) {
        this.out = out;
        this.rounds = rounds;
        this.round = round;
    }

    /**
     * What was measured of one peer.
     *
     * @param rate cycles per second, the median
     * @param ratio to the first peer's, the median of the rounds
     */
    record Result(String name, double rate, double ratio, double lowestRatio, double highestRatio, ServerWork work) {}

    List<Result> run(List<Peer.Maker> makers) throws Exception {
        List<Peer> peers = new ArrayList<>();
        try (RedisProcess redis = RedisProcess.start(RedisProcess.Version.V7_0)) {
            try {
                for (Peer.Maker maker : makers) {
                    peers.add(maker.make(redis.uri(), "benchmark"));
                }
                return run(redis, peers);
            } finally {
                for (Peer peer : peers) {
                    peer.close();
                }
            }
        }
    }

    /** Over five independent masters; the last peer has one of them to itself. What a cycle costs is counted at the first. */
    List<Result> runQuorum() throws Exception {
        List<Peer> peers = new ArrayList<>();
        try (Masters masters = Masters.start(5)) {
            try {
                peers.add(new BareQuorum(masters.uris(), "benchmark"));
                peers.add(new LeaseholdPeer("Leasehold, 5 masters", masters.quorumUri(), "benchmark"));
                peers.add(RedissonQuorumPeer.redLock(masters.uris(), "benchmark"));
                peers.add(RedissonQuorumPeer.multiLock(masters.uris(), "benchmark"));
                peers.add(new LeaseholdPeer(
                        "Leasehold, 1 master", masters.server(0).uri(), "single"));
                return run(masters.server(0), peers);
            } finally {
                for (Peer peer : peers) {
                    peer.close();
                }
            }
        }
    }

    private List<Result> run(RedisProcess redis, List<Peer> peers) throws Exception {
        for (int warmUp = 0; warmUp < 10; warmUp++) {
            for (Peer peer : peers) {
                rate(peer, round.multipliedBy(2));
            }
        }
        double[][] rates = new double[peers.size()][rounds];
        for (int i = 0; i < rounds; i++) {
            StringBuilder line = new StringBuilder();
            for (int p = 0; p < peers.size(); p++) {
                rates[p][i] = rate(peers.get(p), round);
                line.append(String.format("%9.0f", rates[p][i]));
            }
            out.printf("round %d of %d, cycles per second:%s%n", i + 1, rounds, line);
        }
        List<Result> results = new ArrayList<>();
        for (int p = 0; p < peers.size(); p++) {
            double[] ratios = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                ratios[i] = rates[p][i] / rates[0][i];
            }
            Arrays.sort(ratios);
            results.add(new Result(
                    peers.get(p).name(),
                    median(rates[p]),
                    median(ratios),
                    ratios[0],
                    ratios[rounds - 1],
                    ServerWork.of(redis, peers.get(p))));
        }
        return results;
    }

    private static double rate(Peer peer, Duration length) throws Exception {
        long start = System.nanoTime();
        long end = start + length.toNanos();
        long cycles = 0;
        long now;
        do {
            peer.acquire();
            peer.release();
            cycles++;
            now = System.nanoTime();
        } while (now - end < 0);
        return cycles * 1e9 / (now - start);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    static void print(PrintStream out, List<Result> results) {
        out.printf("%n| | cycles/s | ratio to bare (lowest – highest) | commands | executions | server µs |%n");
        out.printf("|---|---:|---:|---:|---:|---:|%n");
        for (Result each : results) {
            out.printf(
                    "| %s | %.0f | %.2f (%.2f – %.2f) | %.1f | %.1f | %.1f |%n",
                    each.name(),
                    each.rate(),
                    each.ratio(),
                    each.lowestRatio(),
                    each.highestRatio(),
                    each.work().commands(),
                    each.work().executions(),
                    each.work().micros());
        }
    }
}
