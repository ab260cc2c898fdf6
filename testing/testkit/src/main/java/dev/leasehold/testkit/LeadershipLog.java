package dev.leasehold.testkit;

import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.testkit.HoldRecord.End;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A leadership log looks all the time whether a candidate believes that it leads, and writes each term down as a hold:
 * as open when it is certain, and as it ended. It claims no more than was seen: a term begins after the first look that
 * saw it, if a second one sees it still, and ends before the last one that did.
 */
final class LeadershipLog implements AutoCloseable {

    private static final long PAUSE_NANOS = 500_000;

    private record Sighting(long token, long acquiredAt, long lastAt, long deadline) {}

    private final String candidate;
    private final LeaderElection election;
    private final Consumer<HoldRecord> sink;
    private final Thread watcher;
    private volatile boolean closed;
    private volatile long written;

    private long standsSince = System.nanoTime();
    private @Nullable Sighting present;
    private boolean certain;

    LeadershipLog(String candidate, LeaderElection election, Consumer<HoldRecord> sink) {
        this.candidate = candidate;
        this.election = election;
        this.sink = sink;
        watcher = new Thread(this::watch, "testkit-election-log");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void watch() {
        while (!closed) {
            look();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        endTerm();
        sink.accept(HoldRecord.givenUp(candidate, election.name(), standsSince, System.nanoTime()));
    }

    private void look() {
        long before = System.nanoTime();
        Optional<Lease> lease = election.lease();
        long after = System.nanoTime();
        Sighting seen = present;
        if (seen != null && (lease.isEmpty() || lease.get().token() != seen.token())) {
            endTerm();
            seen = null;
        }
        if (lease.isEmpty()) {
            return;
        }
        long deadline = lease.get().remaining().toNanos() + System.nanoTime();
        if (seen == null) {
            present = new Sighting(lease.get().token(), after, after, deadline);
            certain = false;
            return;
        }
        Sighting now = new Sighting(seen.token(), seen.acquiredAt(), before, Math.max(seen.deadline(), deadline));
        present = now;
        if (!certain) {
            certain = true;
            sink.accept(record(now, HoldRecord.NEVER, End.OPEN));
            written = now.token();
        }
    }

    private void endTerm() {
        Sighting seen = present;
        present = null;
        if (seen != null && certain) {
            sink.accept(record(seen, seen.lastAt(), End.LOST));
            standsSince = System.nanoTime();
        }
    }

    private HoldRecord record(Sighting of, long endedAt, End end) {
        return new HoldRecord(
                candidate, election.name(), of.token(), standsSince, of.acquiredAt(), endedAt, of.deadline(), end);
    }

    /** Returns the last term that was written down as open. */
    long written() {
        return written;
    }

    /** Stops looking, and writes the log. */
    @Override
    public void close() {
        closed = true;
        try {
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
