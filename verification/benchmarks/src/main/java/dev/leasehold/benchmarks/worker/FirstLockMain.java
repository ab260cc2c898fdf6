package dev.leasehold.benchmarks.worker;

import com.sun.management.OperatingSystemMXBean;
import dev.leasehold.benchmarks.peer.LockClient;
import dev.leasehold.benchmarks.peer.LockHandle;
import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.peer.Target;
import dev.leasehold.benchmarks.server.StoreKind;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** FirstLockMain is a program that connects, acquires one lock, and says how long that took, and how much of a processor. */
public final class FirstLockMain {

    private FirstLockMain() {}

    /** Takes as arguments: contestant, store, URI, name of the lock. */
    public static void main(String[] args) throws Exception {
        long start = System.nanoTime();
        LockClient client =
                Peer.named(args[0]).open(new Target(StoreKind.named(args[1]), args[2], Duration.ofSeconds(30), 1));
        LockHandle lock = client.lock(args[3]);
        lock.acquire();
        long took = System.nanoTime() - start;
        long cpu = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        System.out.println("first " + took + " " + cpu);
        System.out.flush();
        lock.release();
        Runtime.getRuntime().halt(0);
    }
}
