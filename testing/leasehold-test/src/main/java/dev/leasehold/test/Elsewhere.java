package dev.leasehold.test;

import dev.leasehold.LockOptions;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The other client speaks to the store directly, so that its holds need no renewal and the clock of the test may go any
 * way. The store in memory answers at once.
 */
final class Elsewhere {

    private static final String ID = "elsewhere";

    private final Store store;
    private final AtomicLong claims = new AtomicLong();
    private final Map<String, LeaseId> held = new ConcurrentHashMap<>();

    Elsewhere(StoreFactory factory, TimeSource time) {
        store = factory.open(
                new StoreContext(ID, "elsewhere (a test)", "", time, Duration.ofSeconds(10), new NoSignals()));
    }

    HeldElsewhere hold(String name) {
        return new Held(claim(name, LockOptions.FOREVER));
    }

    boolean holds(String name, long token) {
        LeaseId lease = held.get(name);
        return lease != null && lease.token() == token;
    }

    void breakLease(String name, long token) {
        now(store.breakLease(name, token));
    }

    /** Ends the holds of nobody: those that are kept after a release. */
    void freeKept() {
        for (LockInfo info : inspect(NamePattern.of("*"))) {
            info.holders().stream()
                    .filter(holder -> holder.owner().isEmpty())
                    .forEach(holder -> breakLease(info.name(), holder.token()));
        }
    }

    List<LockInfo> inspect(NamePattern pattern) {
        return now(store.inspect(pattern));
    }

    private LeaseId claim(String name, Duration lease) {
        Claim claim = new Claim(new ClaimId(ID, claims.incrementAndGet()), name, lease, 0, false);
        if (now(store.claim(claim)) instanceof ClaimAnswer.Granted granted) {
            held.put(name, granted.lease());
            return granted.lease();
        }
        throw new IllegalStateException("'" + name + "' is taken by " + holders(name) + ", so nobody else can hold it");
    }

    private String holders(String name) {
        return inspect(NamePattern.of("*")).stream()
                .filter(info -> info.name().equals(name))
                .flatMap(info -> info.holders().stream())
                .map(holder -> (holder.owner().isEmpty() ? "nobody, since it is kept" : holder.owner()) + ", until "
                        + holder.until())
                .collect(Collectors.joining("; "));
    }

    private static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    private final class Held implements HeldElsewhere {

        private final LeaseId lease;

        Held(LeaseId lease) {
            this.lease = lease;
        }

        @Override
        public String name() {
            return lease.lock();
        }

        @Override
        public long token() {
            return lease.token();
        }

        @Override
        public void release() {
            held.remove(lease.lock(), lease);
            now(store.release(lease, Duration.ZERO));
        }

        /**
         * Keeps the lock without a holder: to the others a crash looks just like that, a lock that does not answer and is
         * free when its time is over.
         */
        @Override
        public void crash() {
            if (now(store.release(lease, LockOptions.defaults().leaseDuration())) == ReleaseAnswer.RELEASED) {
                held.put(lease.lock(), lease);
            }
        }

        @Override
        public void close() {
            release();
        }
    }

    /** No-op signals: this client never waits, so it needs none. */
    private static final class NoSignals implements Signals {
        @Override
        public void granted(Grant grant, @Nullable Validity validity) {}

        @Override
        public void doubt(@Nullable String lock) {}
    }
}
