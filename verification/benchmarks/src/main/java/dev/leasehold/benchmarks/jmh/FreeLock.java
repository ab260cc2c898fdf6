package dev.leasehold.benchmarks.jmh;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import java.util.Optional;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * One thread acquires and releases a lock that nobody else wants, in each of the forms that the API has. The store answers at
 * once and in the same thread, so that the engine alone is measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class FreeLock {

    private Leasehold client;
    private DistributedLock lock;
    private DistributedLock semaphore;
    private Lock reentrant;
    private final Lock withinTheProcess = new ReentrantLock();

    /** Opens a client on the store in memory. */
    @Setup
    public void open() {
        client = Leasehold.builder().uri("memory:").build();
        lock = client.lock("mutex");
        semaphore = client.semaphore("permits", 8);
        reentrant = client.reentrantLock("reentrant");
    }

    /** Closes the client. */
    @TearDown
    public void close() {
        client.close();
    }

    @Benchmark
    public LeaseState acquire() throws InterruptedException {
        Lease lease = lock.acquire();
        return lease.release();
    }

    @Benchmark
    public LeaseState tryAcquire() throws InterruptedException {
        Optional<Lease> lease = lock.tryAcquire();
        return lease.orElseThrow().release();
    }

    @Benchmark
    public Object call() throws InterruptedException {
        return lock.call(Lease::token);
    }

    @Benchmark
    public LeaseState acquireAsync() {
        return lock.acquireAsync().thenCompose(Lease::releaseAsync).join();
    }

    @Benchmark
    public LeaseState permit() throws InterruptedException {
        return semaphore.acquire().release();
    }

    /** A lock of {@code java.util.concurrent} over a lease. */
    @Benchmark
    public void reentrantLock() {
        reentrant.lock();
        reentrant.unlock();
    }

    /** Measures, for scale, the JDK's lock, which excludes the threads of one process only. */
    @Benchmark
    public void lockOfTheJdk() {
        withinTheProcess.lock();
        withinTheProcess.unlock();
    }
}
