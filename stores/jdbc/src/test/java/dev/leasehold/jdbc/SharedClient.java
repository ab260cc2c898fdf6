package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A shared client is one straight at the SPI. */
final class SharedClient implements Signals {
    final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();
    final BlockingQueue<String> doubts = new LinkedBlockingQueue<>();
    private static final AtomicLong CLIENTS = new AtomicLong();

    final String id = "client-" + CLIENTS.incrementAndGet();
    final Store store;
    private final AtomicLong claims = new AtomicLong();

    SharedClient(StoreFactory factory, RealTime time) {
        store = factory.open(new StoreContext(id, "owner " + id, "", time, Duration.ofSeconds(20), this));
    }

    Claim claim(String lock, int share, Duration lease) {
        return new Claim(new ClaimId(id, claims.incrementAndGet()), lock, share, lease, true);
    }

    ClaimAnswer ask(Claim claim) {
        return TestClient.get(store.claim(claim));
    }

    ClaimAnswer.Granted acquire(String lock, int share, Duration lease) {
        return (ClaimAnswer.Granted) ask(claim(lock, share, lease));
    }

    Grant nextGrant() throws InterruptedException {
        return grants.poll(A_MINUTE, TimeUnit.SECONDS);
    }

    void release(LeaseId lease) {
        TestClient.get(store.release(lease, Duration.ZERO));
    }

    @Override
    public void granted(Grant grant, Validity validity) {
        grants.add(grant);
    }

    @Override
    public void doubt(String lock) {
        doubts.add(lock == null ? "all" : lock);
    }
}
