package dev.leasehold.testkit;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.testkit.HoldRecord.End;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Contenders are threads of several clients that want one lock again and again, and the history of their holds. */
final class Contenders {

    private final ClientFixture fixture;
    private final String lock;
    private final Queue<HoldRecord> history = new ConcurrentLinkedQueue<>();
    private final AtomicInteger counter = new AtomicInteger();
    private final AtomicInteger counted = new AtomicInteger();

    Contenders(ClientFixture fixture, String lock) {
        this.fixture = fixture;
        this.lock = lock;
    }

    /** Runs the threads to their end. */
    List<HoldRecord> run(List<Leasehold> clients, int threadsEach, int rounds) throws Exception {
        List<CompletableFuture<?>> threads = new ArrayList<>();
        for (int c = 0; c < clients.size(); c++) {
            DistributedLock theirs = clients.get(c).lock(lock);
            String name = "client-" + c;
            for (int t = 0; t < threadsEach; t++) {
                threads.add(fixture.inThread(() -> {
                    for (int i = 0; i < rounds; i++) {
                        once(theirs, name);
                    }
                    return true;
                }));
            }
        }
        CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get();
        return List.copyOf(history);
    }

    /** Checks a count that was kept without any other protection than the lock. */
    boolean countIsExact() {
        return counter.get() == counted.get();
    }

    private void once(DistributedLock wanted, String client) throws InterruptedException {
        long requested = System.nanoTime();
        Optional<Lease> acquired;
        try {
            acquired = wanted.tryAcquire(ClientFixture.LONGEST_WAIT);
        } catch (LockException e) {
            acquired = Optional.empty();
        }
        if (acquired.isEmpty()) {
            history.add(HoldRecord.givenUp(client, lock, requested, System.nanoTime()));
            return;
        }
        try (Lease lease = acquired.get()) {
            hold(lease, client, requested);
        }
    }

    private void hold(Lease lease, String client, long requested) throws InterruptedException {
        long acquiredAt = System.nanoTime();
        if (!lease.isValid()) {
            history.add(HoldRecord.givenUp(client, lock, requested, acquiredAt));
            return;
        }
        int seen = counter.get();
        Thread.onSpinWait();
        if (lease.isValid()) {
            counter.set(seen + 1);
            counted.incrementAndGet();
        }
        // Read as late as can be, since a thread that is stopped meanwhile finds its lease renewed.
        long deadline = lease.remaining().toNanos() + System.nanoTime();
        long now = System.nanoTime();
        boolean valid = lease.isValid();
        long endedAt = valid ? now : acquiredAt;
        LeaseState state = release(lease);
        End end = valid && state == LeaseState.RELEASED ? End.RELEASED : End.LOST;
        history.add(new HoldRecord(client, lock, lease.token(), requested, acquiredAt, endedAt, deadline, end));
    }

    private static LeaseState release(Lease lease) throws InterruptedException {
        try {
            return lease.release();
        } catch (LockException e) {
            return LeaseState.LOST;
        }
    }
}
