package dev.leasehold.benchmarks.jmh;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Measures the question that a holder asks before each step of its work (is the lease still valid?), and a lock that is taken again. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class HeldLock {

    private Leasehold client;
    private Lease lease;
    private Lock reentrant;

    /** Takes the locks: in the measured thread, since a reentrant lock belongs to one. */
    @Setup(Level.Iteration)
    public void hold() throws InterruptedException {
        client = Leasehold.builder().uri("memory:").build();
        lease = client.lock("mutex").acquire();
        reentrant = client.reentrantLock("reentrant");
        reentrant.lock();
    }

    /** Gives them back. */
    @TearDown(Level.Iteration)
    public void release() {
        reentrant.unlock();
        lease.close();
        client.close();
    }

    @Benchmark
    public boolean isValid() {
        return lease.isValid();
    }

    @Benchmark
    public void ensureValid() {
        lease.ensureValid();
    }

    @Benchmark
    public Duration remaining() {
        return lease.remaining();
    }

    @Benchmark
    public LeaseState state() {
        return lease.state();
    }

    @Benchmark
    public void lockAgain() {
        reentrant.lock();
        reentrant.unlock();
    }
}
