package dev.leasehold.benchmarks;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import java.time.Duration;

/** Leasehold as users have it: token, queue and renewal on. */
final class LeaseholdPeer implements Peer {

    /** On a machine that is too busy a benchmark shall be slow rather than fail. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final Leasehold client;
    private final DistributedLock lock;
    private Lease lease;

    LeaseholdPeer(String redisUri, String lock) {
        this("Leasehold", redisUri, lock);
    }

    LeaseholdPeer(String name, String redisUri, String lock) {
        this.name = name;
        client = Leasehold.builder().uri(redisUri).storeTimeout(PATIENCE).build();
        this.lock = client.lock(lock);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void acquire() throws InterruptedException {
        lease = lock.acquire();
    }

    @Override
    public void release() throws InterruptedException {
        if (lease.release() != LeaseState.RELEASED) {
            System.err.println("Leasehold: the lock was lost: " + lease);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
