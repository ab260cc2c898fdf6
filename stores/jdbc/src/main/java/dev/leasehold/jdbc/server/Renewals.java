package dev.leasehold.jdbc.server;

import dev.leasehold.internal.Guard;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Renewals are carried out many at a time. While one batch is on its way the next one gathers; a batch of one is renewed
 * like anything else. Thread-safe.
 *
 * <p>A batch never waits for a lock's row: what somebody else has locked is skipped, and is then renewed by itself, as is
 * everything that the batch could not find or that failed. So locks that are stuck hold up no other: batches have a worker that
 * nothing else takes, and a single renewal becomes a batch where all other workers are taken.
 */
final class Renewals {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final int MOST = 256;

    /** A renewal is a lease to renew. */
    record Renewal(LeaseId lease, Duration duration, StoreOperation<RenewAnswer> operation) {}

    private final TimeSource time;
    private final SharedClaims shared;
    private final Consumer<Renewal> single;
    private final Runnable startBatch;
    private final BooleanSupplier crowded;
    private final Guard mutex = new Guard();
    private List<Renewal> gathered = new ArrayList<>();
    private boolean started;

    /**
     * Gathers renewals.
     *
     * @param shared tells which leases share their locks
     * @param single renews one by itself
     * @param startBatch has {@link #renew} called by another thread, soon
     * @param crowded tells whether a single renewal would have to wait for a worker
     */
    Renewals(
            TimeSource time,
            SharedClaims shared,
            Consumer<Renewal> single,
            Runnable startBatch,
            BooleanSupplier crowded) {
        this.crowded = crowded;
        this.time = time;
        this.shared = shared;
        this.single = single;
        this.startBatch = startBatch;
    }

    void add(Renewal renewal) {
        mutex.lock();
        try {
            gathered.add(renewal);
            if (started) {
                return;
            }
            started = true;
        } finally {
            mutex.unlock();
        }
        start();
    }

    /** Starts a batch; if that fails, the next renewal tries it again. */
    private void start() {
        boolean begun = false;
        try {
            startBatch.run();
            begun = true;
        } finally {
            if (!begun) {
                ended(false);
            }
        }
    }

    private void ended(boolean more) {
        mutex.lock();
        try {
            started = more;
        } finally {
            mutex.unlock();
        }
    }

    /** The next batch begins whatever goes wrong, now or with the next renewal. */
    void renew(DatabaseAccess database) {
        try {
            renew(database, next());
        } finally {
            boolean more;
            mutex.lock();
            try {
                more = !gathered.isEmpty();
                started = more;
            } finally {
                mutex.unlock();
            }
            if (more) {
                start();
            }
        }
    }

    private List<Renewal> next() {
        mutex.lock();
        try {
            int size = Math.min(MOST, gathered.size());
            List<Renewal> batch = new ArrayList<>(gathered.subList(0, size));
            gathered = new ArrayList<>(gathered.subList(size, gathered.size()));
            return batch;
        } finally {
            mutex.unlock();
        }
    }

    private void renew(DatabaseAccess database, List<Renewal> batch) {
        try {
            if (batch.size() > 1 || crowded.getAsBoolean()) {
                database.with((borrowed, at) -> renew(batch, borrowed, at));
            }
        } catch (Throwable e) { // Errors too: what is left is renewed one by one.
            LOG.log(
                    e instanceof Error ? Level.WARNING : Level.DEBUG,
                    "renewing " + batch.size() + " leases at once",
                    e);
        }
        for (Renewal renewal : batch) {
            if (!renewal.operation().isOver()) {
                single.accept(renewal);
            }
        }
    }

    private boolean renew(List<Renewal> batch, PooledConnection borrowed, ReadyDatabase at) throws SQLException {
        if (at.found().otherIsolation()) {
            borrowed.readCommitted();
        }
        borrowed.autoCommit(false);
        List<Renewal> alone = new ArrayList<>();
        Map<Duration, List<Renewal>> sharing = new LinkedHashMap<>();
        for (Renewal renewal : batch) {
            if (shared.contains(renewal.lease().claim())) {
                sharing.computeIfAbsent(renewal.duration(), each -> new ArrayList<>())
                        .add(renewal);
            } else {
                alone.add(renewal);
            }
        }
        if (!alone.isEmpty()) {
            ClockReading sentAt = time.now();
            Map<Renewal, Long> lefts = batchOf(alone, borrowed, at).extend();
            borrowed.commit();
            lefts.forEach((renewal, left) -> renewed(renewal, sentAt, Duration.of(left, ChronoUnit.MICROS)));
        }
        for (Map.Entry<Duration, List<Renewal>> same : sharing.entrySet()) {
            ClockReading sentAt = time.now();
            batchOf(same.getValue(), borrowed, at).extendShared(same.getKey());
            borrowed.commit();
            same.getValue().forEach(renewal -> renewed(renewal, sentAt, renewal.duration()));
        }
        return true;
    }

    private static RenewalBatch batchOf(List<Renewal> some, PooledConnection borrowed, ReadyDatabase at) {
        return new RenewalBatch(some, borrowed.sql(), at.texts(), at.namespace());
    }

    private static void renewed(Renewal renewal, ClockReading sentAt, Duration left) {
        renewal.operation().succeed(new RenewAnswer.Renewed(Validity.of(sentAt, left)));
    }
}
