package dev.leasehold.benchmarks.study;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.testtools.FaultProxy;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * A slow node is one of five masters that is slow, or some that are down; the measurement takes how long they make an
 * acquire of a quorum lock take.
 */
final class SlowNode {

    private static final Duration DELAY = Duration.ofMillis(200);

    /** So long the client asks again, each time for the per-node limit, before it gives up. */
    private static final Duration IMPATIENT = Duration.ofSeconds(2);

    private final PrintStream out;
    private final int rounds;
    private final int cycles;

    SlowNode(PrintStream out, int rounds, int cycles) {
        this.out = out;
        this.rounds = rounds;
        this.cycles = cycles;
    }

    /**
     * A result has the times to acquire a free lock, each time another one, in nanoseconds.
     *
     * @param failedAfter how long it took to fail with three masters down
     * @param message what was said then
     */
    record Result(Histogram fast, Histogram oneSlow, Histogram twoDown, long failedAfter, String message) {

        void print(PrintStream out) {
            out.printf("%n| five masters | median | 99 %% |%n|---|---:|---:|%n");
            print(out, "all fast", fast);
            print(out, "one answers 200 ms late, each way", oneSlow);
            print(out, "two down", twoDown);
            out.printf("%nThree down: failed after %.1f ms: %s%n", failedAfter / 1e6, message);
        }

        private static void print(PrintStream out, String what, Histogram times) {
            out.printf(
                    "| %s | %.2f ms | %.1f ms |%n",
                    what, times.getValueAtPercentile(50) / 1e6, times.getValueAtPercentile(99) / 1e6);
        }
    }

    Result run() throws Exception {
        Histogram fast = new Histogram(3);
        Histogram oneSlow = new Histogram(3);
        Histogram twoDown = new Histogram(3);
        try (Masters masters = Masters.start(5);
                FaultProxy proxy = FaultProxy.to(masters.server(4).port());
                Leasehold client = client(masters, proxy, Duration.ofSeconds(60));
                Leasehold impatient = client(masters, proxy, IMPATIENT)) {
            measure(client, "warm", cycles, new Histogram(3));
            measure(impatient, "warm-too", 1, new Histogram(3));
            for (int i = 0; i < rounds; i++) {
                measure(client, "fast-" + i, cycles, fast);
                proxy.delay(DELAY);
                measure(client, "slow-" + i, cycles, oneSlow);
                proxy.delay(Duration.ZERO);
                out.printf("round %d of %d%n", i + 1, rounds);
            }
            masters.server(0).kill();
            masters.server(1).kill();
            measure(client, "down", rounds * cycles, twoDown);
            masters.server(2).kill();
            long start = System.nanoTime();
            try {
                Optional<Lease> none = impatient.lock("none").tryAcquire();
                throw new IllegalStateException("three masters of five are down, and yet there was an answer: " + none);
            } catch (StoreUnavailableException e) {
                return new Result(fast, oneSlow, twoDown, System.nanoTime() - start, String.valueOf(e.getMessage()));
            }
        }
    }

    private static Leasehold client(Masters masters, FaultProxy proxy, Duration storeTimeout) {
        String uri = masters.quorumUri().replace(":" + masters.server(4).port(), ":" + proxy.port());
        return Leasehold.builder().uri(uri).storeTimeout(storeTimeout).build();
    }

    private static void measure(Leasehold client, String lock, int cycles, Histogram times)
            throws InterruptedException {
        for (int i = 0; i < cycles; i++) {
            long start = System.nanoTime();
            Lease lease = client.lock(lock + '-' + i).acquire();
            times.recordValue(System.nanoTime() - start);
            lease.release();
        }
    }
}
