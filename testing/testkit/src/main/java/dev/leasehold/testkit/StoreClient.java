package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store client is one client of a store under test: it sends the requests of a test, waits for the answers, and remembers
 * the signals.
 */
final class StoreClient implements AutoCloseable {

    /** Long enough to be there whatever happens to the machine during a test. */
    static final Duration LONG = Duration.ofMinutes(10);

    /** Short enough to wait for its end. */
    static final Duration SHORT = Duration.ofMillis(150);

    static final Duration STORE_TIMEOUT = ClientFixture.LONGEST_WAIT;
    private static final int MOST_QUESTIONS = 5;

    final String id = UUID.randomUUID().toString();
    final String owner;
    final Store store;
    final List<LeaseId> granted = new CopyOnWriteArrayList<>();
    final List<Grant> grants = new CopyOnWriteArrayList<>();
    final List<String> doubted = new CopyOnWriteArrayList<>();
    private final Set<ClaimId> asked = ConcurrentHashMap.newKeySet();
    private final AtomicLong claims = new AtomicLong();

    StoreClient(StoreFactory factory, String namespace, String owner, TimeSource time) {
        this.owner = owner;
        this.store = factory.open(new StoreContext(id, owner, namespace, time, STORE_TIMEOUT, signals()));
    }

    private Signals signals() {
        return new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                granted.add(grant.lease());
                grants.add(grant);
            }

            @Override
            public void doubt(@Nullable String lock) {
                doubted.add(lock == null ? "*" : lock);
            }
        };
    }

    Claim newClaim(String lock, Duration lease, boolean enqueue) {
        return new Claim(new ClaimId(id, claims.incrementAndGet()), lock, lease, Claim.MOST_SPARE, enqueue);
    }

    Claim newClaim(String lock, int share, Duration lease, boolean enqueue) {
        return new Claim(new ClaimId(id, claims.incrementAndGet()), lock, share, lease, enqueue);
    }

    /** Tries once for a lock that should let one more in. */
    ClaimAnswer.Granted acquire(String lock, int share) {
        return acquire(lock, share, LONG);
    }

    ClaimAnswer.Granted acquire(String lock, int share, Duration lease) {
        return inTime(lease, () -> granted(newClaim(lock, share, lease, false)));
    }

    /** Joins the queue of a lock that should not let one more in. */
    Claim join(String lock, int share) {
        return join(lock, share, LONG);
    }

    Claim join(String lock, int share, Duration lease) {
        return inTime(lease, () -> joined(newClaim(lock, share, lease, true)));
    }

    /** Tries once in vain. */
    ClaimAnswer.Busy findsTaken(String lock, int share) {
        return busy(newClaim(lock, share, LONG, false));
    }

    /** Makes a single try that joins no queue and keeps nothing. */
    boolean finds(String lock, int share) {
        if (ask(newClaim(lock, share, LONG, false)) instanceof ClaimAnswer.Granted grant) {
            release(grant.lease());
            return true;
        }
        return false;
    }

    RenewAnswer downgrade(LeaseId lease, Duration duration) {
        return get(store.downgrade(lease, duration));
    }

    /** Tries once for a lock that should be free. */
    ClaimAnswer.Granted acquire(String lock) {
        return acquire(lock, LONG);
    }

    ClaimAnswer.Granted acquire(String lock, Duration lease) {
        return inTime(lease, () -> granted(newClaim(lock, lease, false)));
    }

    /** A quorum has 15 ms of a short lease for an answer; a busy machine may take longer, and then this tries again. */
    private static <T> T inTime(Duration lease, Supplier<T> question) {
        while (true) {
            try {
                return question.get();
            } catch (StoreUnavailableException e) {
                if (lease.compareTo(SHORT) > 0) {
                    throw e;
                }
            }
        }
    }

    /** Joins the queue of a lock that should be taken. */
    Claim join(String lock) {
        return join(lock, LONG);
    }

    Claim join(String lock, Duration lease) {
        return inTime(lease, () -> joined(newClaim(lock, lease, true)));
    }

    private Claim joined(Claim claim) {
        busy(claim);
        return claim;
    }

    ClaimAnswer.Granted granted(Claim claim) {
        ClaimAnswer answer = ask(claim);
        assertThat(answer).as("answer to %s", claim).isInstanceOf(ClaimAnswer.Granted.class);
        ClaimAnswer.Granted grant = (ClaimAnswer.Granted) answer;
        assertThat(grant.lease().lock()).isEqualTo(claim.lock());
        assertThat(grant.lease().claim()).isEqualTo(claim.id());
        return grant;
    }

    ClaimAnswer.Busy busy(Claim claim) {
        ClaimAnswer answer = ask(claim);
        assertThat(answer).as("answer to %s", claim).isInstanceOf(ClaimAnswer.Busy.class);
        return (ClaimAnswer.Busy) answer;
    }

    ClaimAnswer ask(Claim claim) {
        return get(send(claim));
    }

    /** Sends a claim as the engine does: the store learns whether the claim has been sent before. */
    CompletionStage<ClaimAnswer> send(Claim claim) {
        return store.claim(asked.add(claim.id()) ? claim.at(Claim.NEW) : claim);
    }

    /** Returns a single try that joins no queue and keeps nothing. */
    boolean finds(String lock) {
        ClaimAnswer answer = ask(newClaim(lock, LONG, false));
        if (answer instanceof ClaimAnswer.Granted grant) {
            release(grant.lease());
            return true;
        }
        return false;
    }

    Validity renewed(LeaseId lease, Duration duration) {
        RenewAnswer answer = renew(lease, duration);
        assertThat(answer).as("answer to the renewal of %s", lease).isInstanceOf(RenewAnswer.Renewed.class);
        return ((RenewAnswer.Renewed) answer).validity();
    }

    RenewAnswer renew(LeaseId lease, Duration duration) {
        return get(store.renew(lease, duration));
    }

    /**
     * Asks whether a lease is there, without changing anything. A lease that runs out between a store's two steps may be
     * answered with "unknown": then it is asked again.
     */
    boolean has(LeaseId lease) {
        for (int tries = 1; ; tries++) {
            try {
                return renew(lease, Duration.ofMillis(1)) instanceof RenewAnswer.Renewed;
            } catch (StoreUnavailableException e) {
                if (e.outcome() != StoreUnavailableException.Outcome.UNKNOWN || tries == MOST_QUESTIONS) {
                    throw e;
                }
            }
        }
    }

    ReleaseAnswer release(LeaseId lease) {
        return release(lease, Duration.ZERO);
    }

    ReleaseAnswer release(LeaseId lease, Duration keepFor) {
        return get(store.release(lease, keepFor));
    }

    void withdraw(Claim claim) {
        get(store.withdraw(claim.lock(), claim.id()));
    }

    boolean breakLease(String lock, long token) {
        return get(store.breakLease(lock, token));
    }

    List<LockInfo> inspect(String pattern) {
        return get(store.inspect(NamePattern.of(pattern)));
    }

    /** Returns whether the store shows the lock: held, kept or waited for. */
    boolean shows(String lock) {
        return find(lock) != null;
    }

    LockInfo info(String lock) {
        return present("the lock " + lock, find(lock));
    }

    HolderInfo holder(String lock) {
        return present("the holder of " + lock, info(lock).holder());
    }

    /** Returns whether the store shows this client as a holder. */
    boolean holds(String lock) {
        return holders(lock).stream().anyMatch(holder -> holder.owner().equals(owner));
    }

    List<HolderInfo> holders(String lock) {
        LockInfo found = find(lock);
        return found == null ? List.of() : found.holders();
    }

    List<WaiterInfo> waiters(String lock) {
        LockInfo found = find(lock);
        return found == null ? List.of() : found.waiters();
    }

    private @Nullable LockInfo find(String lock) {
        List<LockInfo> found = inspect(literally(lock));
        assertThat(found)
                .hasSizeLessThanOrEqualTo(1)
                .allSatisfy(info -> assertThat(info.name()).isEqualTo(lock));
        return found.isEmpty() ? null : found.get(0);
    }

    static <T> T present(String what, @Nullable T value) {
        if (value == null) {
            throw new AssertionError(what + " is missing");
        }
        return value;
    }

    static String literally(String name) {
        return name.replaceAll("[\\\\*?]", "\\\\$0");
    }

    /** Waits for an answer, for twice as long as the store may take to say that it has none. */
    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(2 * STORE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("the store did not complete its answer within its time-out", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
