package dev.leasehold.benchmarks.jmh;

import dev.leasehold.DistributedLock;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Sixteen threads of one process want one lock: each release wakes the next in line. Beside it stands the JDK's fair lock, which
 * does the same without a lease, a token or an end of waiting.
 */
@State(Scope.Benchmark)
@Threads(16)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class WantedLock {

    private Leasehold client;
    private DistributedLock lock;
    private final Lock fair = new ReentrantLock(true);

    /** Opens a client on the store in memory. */
    @Setup
    public void open() {
        client = Leasehold.builder().uri("memory:").build();
        lock = client.lock("mutex");
    }

    /** Closes the client. */
    @TearDown
    public void close() {
        client.close();
    }

    @Benchmark
    public LeaseState handOver() throws InterruptedException {
        return lock.acquire().release();
    }

    @Benchmark
    public void fairLockOfTheJdk() {
        fair.lock();
        fair.unlock();
    }
}
