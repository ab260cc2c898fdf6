package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.jdbc.sqlite.ExpiryClock;
import dev.leasehold.jdbc.sqlite.SqliteFactory;
import dev.leasehold.jdbc.sqlite.SqliteStore;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimAnswer.Busy;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.RealTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;

/** A test client is one of a store file, straight at the SPI, that waits for each answer. */
@Tag("slow")
public final class TestClient implements Signals, AutoCloseable {

    public static final Duration LEASE = Duration.ofSeconds(30);
    private static final AtomicLong CLIENTS = new AtomicLong();

    /** A signal as it came. */
    public record Grant(LeaseId lease, int spare, Validity validity) {}

    final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();
    final BlockingQueue<String> doubts = new LinkedBlockingQueue<>();
    private final RealTime time = new RealTime();
    public final SqliteStore store;
    public final String id;
    private final AtomicLong claims = new AtomicLong();

    public TestClient(Path file, ExpiryClock clock) {
        this(file, clock, "", Duration.ofSeconds(10));
    }

    public TestClient(Path file, ExpiryClock clock, String namespace, Duration timeout) {
        this.id = CLIENTS.incrementAndGet() + "-client-of-"
                + ProcessHandle.current().pid();
        this.store = new SqliteFactory(file)
                .open(new StoreContext(id, "owner " + id, namespace, time, timeout, this), clock);
    }

    public ClaimId newId() {
        return new ClaimId(id, claims.incrementAndGet());
    }

    public Claim newClaim(String lock) {
        return new Claim(newId(), lock, LEASE, 0, true);
    }

    public ClaimAnswer ask(Claim claim) {
        return get(store.claim(claim));
    }

    public Granted granted(Claim claim) {
        return (Granted) ask(claim);
    }

    public Busy busy(Claim claim) {
        return (Busy) ask(claim);
    }

    public LeaseId acquire(String lock) {
        return granted(newClaim(lock)).lease();
    }

    public RenewAnswer renew(LeaseId lease, Duration duration) {
        return get(store.renew(lease, duration));
    }

    public ReleaseAnswer release(LeaseId lease) {
        return release(lease, Duration.ZERO);
    }

    public ReleaseAnswer release(LeaseId lease, Duration keepFor) {
        return get(store.release(lease, keepFor));
    }

    public void withdraw(Claim claim) {
        get(store.withdraw(claim.lock(), claim.id()));
    }

    public List<LockInfo> inspect(String pattern) {
        return get(store.inspect(NamePattern.of(pattern)));
    }

    public boolean breakLease(String lock, long token) {
        return get(store.breakLease(lock, token));
    }

    public Grant nextGrant() throws InterruptedException {
        return grants.poll(A_MINUTE, TimeUnit.SECONDS);
    }

    public String nextDoubt() throws InterruptedException {
        return doubts.poll(A_MINUTE, TimeUnit.SECONDS);
    }

    public static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .orTimeout(A_MINUTE, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public void granted(dev.leasehold.spi.Grant grant, Validity validity) {
        grants.add(new Grant(grant.lease(), grant.spare(), validity));
    }

    @Override
    public void doubt(String lock) {
        doubts.add(lock == null ? "all" : lock);
    }

    @Override
    public void close() {
        store.close();
        time.close();
    }
}
