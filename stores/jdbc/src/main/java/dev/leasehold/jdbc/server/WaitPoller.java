package dev.leasehold.jdbc.server;

import dev.leasehold.internal.Guard;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A wait poller asks the database for what one client waits for, as rarely as its waiters tolerate. Thread-safe.
 *
 * <p>A look is one statement that writes nothing and reads the rows of at most {@value #MOST_LOCKS} locks by their keys.
 * Where the database tells waiters itself, a look follows each of its messages, and none is made besides. Elsewhere the
 * first in a queue looks every twentieth of the time that it has waited, at least 5 and at most 100 ms; the others as many
 * times more rarely as their place says, divided by the share, since so many may come in together; at most every second.
 * A client that waits for nothing never looks.
 *
 * <p>A change that is missed here is found by asking, which every waiter does anyway.
 */
final class WaitPoller {

    static final int MOST_LOCKS = 128;

    private static final long SHORTEST = Duration.ofMillis(5).toNanos();
    private static final long LONGEST = Duration.ofMillis(100).toNanos();
    private static final long PART_OF_WAIT = 20;
    private static final int FARTHEST = 10;

    /** A wait is a claim in a queue. Forgotten when the client has stopped asking. */
    private record Wait(Claim claim, long since, long until, int place, long nextLook) {

        ClaimId id() {
            return claim.id();
        }

        String lock() {
            return claim.lock();
        }

        Wait at(int newPlace, long now) {
            return new Wait(claim, since, until, newPlace, now + interval(now - since, newPlace, claim.share()));
        }
    }

    /** A seen state is what a look found. */
    private record Seen(Map<ClaimId, Given> given, Map<String, Integer> places) {
        static final Seen NOTHING = new Seen(Map.of(), Map.of());
    }

    /**
     * A given lock is one that this client has been given.
     *
     * @param unsure whether the database may yet lose what was read
     */
    private record Given(Grant grant, long left, boolean unsure) {}

    private final StoreContext context;
    private final Runnable startLook;
    private final BooleanSupplier signalsSuffice;
    private final Guard mutex = new Guard();
    private final Map<ClaimId, Wait> waits = new LinkedHashMap<>();
    private TimeSource.@Nullable Timer timer;
    private long timerAt;
    private boolean looking;
    private boolean nudged;
    private boolean told;
    private boolean closed;

    /**
     * Makes a poller.
     *
     * @param startLook has {@link #look} called by another thread, soon
     * @param signalsSuffice whether a lock may be relied on as soon as its row says so
     */
    WaitPoller(StoreContext context, Runnable startLook, BooleanSupplier signalsSuffice) {
        this.signalsSuffice = signalsSuffice;
        this.context = context;
        this.startLook = startLook;
    }

    boolean isWaiting(ClaimId claim) {
        mutex.lock();
        try {
            return waits.containsKey(claim);
        } finally {
            mutex.unlock();
        }
    }

    boolean isIdle() {
        mutex.lock();
        try {
            long now = context.time().nanos();
            waits.values().removeIf(wait -> now - wait.until() >= 0);
            return waits.isEmpty();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Looks for what waits from now on.
     *
     * @param readElsewhere whether another server answers looks, which may not have yet what a message was about
     */
    void claimed(Claim claim, ClaimAnswer answer, boolean readElsewhere) {
        mutex.lock();
        try {
            told &= !readElsewhere;
            Wait known = waits.remove(claim.id());
            if (answer instanceof ClaimAnswer.Busy busy && busy.place() > 0) {
                long now = context.time().nanos();
                long since = known == null ? now : known.since();
                long until = now + WaitingRules.aliveFor(claim.lease()).toNanos();
                waits.put(claim.id(), new Wait(claim, since, until, busy.place(), 0).at(busy.place(), now));
                arm(now);
            }
        } finally {
            mutex.unlock();
        }
    }

    void finished(ClaimId claim) {
        mutex.lock();
        try {
            waits.remove(claim);
        } finally {
            mutex.unlock();
        }
    }

    /** Looks at everything, now. */
    void nudge() {
        mutex.lock();
        try {
            nudged = true;
            arm(context.time().nanos());
        } finally {
            mutex.unlock();
        }
    }

    /** Says whether the database tells this client of what it is given, so that it need not look by itself. */
    void told(boolean tells) {
        mutex.lock();
        try {
            nudged |= tells && !told;
            told = tells;
            arm(context.time().nanos());
        } finally {
            mutex.unlock();
        }
    }

    void close() {
        mutex.lock();
        try {
            closed = true;
            waits.clear();
            if (timer != null) {
                timer.cancel();
            }
        } finally {
            mutex.unlock();
        }
    }

    static long interval(long waited, int place, int share) {
        long every = Math.max(SHORTEST, Math.min(LONGEST, waited / PART_OF_WAIT));
        return every * Math.max(1, Math.min(FARTHEST, place / share));
    }

    /** Has the next look made when it is due; at most one is under way. */
    private void arm(long now) {
        if (closed || looking || waits.isEmpty()) {
            return;
        }
        if (nudged) {
            begin();
            return;
        }
        if (told) {
            return;
        }
        long next = Long.MAX_VALUE;
        for (Wait wait : waits.values()) {
            next = Math.min(next, wait.nextLook() - now);
        }
        if (timer != null && timerAt - now <= next) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        timerAt = now + next;
        timer = context.time().schedule(Duration.ofNanos(Math.max(0, next)), this::due);
    }

    private void due() {
        mutex.lock();
        try {
            timer = null;
            if (!closed && !looking && !waits.isEmpty()) {
                begin();
            }
        } finally {
            mutex.unlock();
        }
    }

    private void begin() {
        looking = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        boolean begun = false;
        try {
            startLook.run();
            begun = true;
        } finally {
            looking = begun;
        }
    }

    /** Returns the locks to look at, by their names. */
    private List<Wait> chosen() {
        mutex.lock();
        try {
            long now = context.time().nanos();
            waits.values().removeIf(wait -> now - wait.until() >= 0);
            boolean all = nudged;
            nudged = false;
            List<Wait> chosen = new ArrayList<>();
            for (Wait wait : waits.values()) {
                if (all || now - wait.nextLook() >= 0) {
                    if (chosen.size() == MOST_LOCKS) {
                        nudged = all;
                        break;
                    }
                    chosen.add(wait);
                }
            }
            return chosen;
        } finally {
            mutex.unlock();
        }
    }

    /** Makes a look on a connection in auto-commit mode. */
    void look(DatabaseAccess database) {
        List<Wait> chosen = chosen();
        Seen seen = Seen.NOTHING;
        ClockReading sentAt = context.time().now();
        try {
            if (!chosen.isEmpty()) {
                seen = database.with((borrowed, at) -> read(borrowed.sql(), at.texts(), chosen));
            }
        } catch (SQLException | RuntimeException | Error e) {
            System.getLogger("dev.leasehold.jdbc").log(System.Logger.Level.DEBUG, "looking", e);
        } finally {
            after(chosen, seen, sentAt);
        }
    }

    private Seen read(Sql sql, ServerSql texts, List<Wait> chosen) throws SQLException {
        Dialect dialect = texts.dialect();
        Seen seen = new Seen(new HashMap<>(), new HashMap<>());
        Object[] values = values(texts, chosen);
        sql.all(
                texts.look(values.length - 2),
                row -> {
                    String lock = dialect.name(row, 1);
                    String client = row.getString(2);
                    if (client != null) {
                        ClaimId claim = new ClaimId(client, row.getLong(3));
                        LeaseId lease = new LeaseId(lock, claim, row.getLong(4));
                        Grant grant = new Grant(lease, Math.toIntExact(row.getLong(5) - row.getLong(4)));
                        seen.given().put(claim, new Given(grant, row.getLong(6), row.getBoolean(8)));
                    }
                    seen.places().put(lock, row.getInt(7));
                    return lock;
                },
                values);
        List<Wait> shared =
                chosen.stream().filter(wait -> wait.claim().isShared()).toList();
        if (!shared.isEmpty()) {
            Object[] names = values(texts, shared);
            sql.all(
                    texts.lookAtShared(names.length - 2),
                    row -> {
                        ClaimId claim = new ClaimId(context.clientId(), row.getLong(2));
                        LeaseId lease = new LeaseId(dialect.name(row, 1), claim, row.getLong(3));
                        int spare = Math.toIntExact(row.getLong(4) - row.getLong(3));
                        Grant grant = new Grant(lease, spare, row.getInt(5), row.getInt(6));
                        seen.given().put(claim, new Given(grant, row.getLong(7), row.getBoolean(8)));
                        return claim;
                    },
                    names);
        }
        return seen;
    }

    /** Returns the parameters: the client, the namespace, the names of the locks. */
    private Object[] values(ServerSql texts, List<Wait> some) {
        List<String> names = some.stream().map(Wait::lock).distinct().toList();
        return texts.values(names, context.clientId(), texts.dialect().name(context.namespace()));
    }

    private void after(List<Wait> chosen, Seen seen, ClockReading sentAt) {
        List<Runnable> signals = new ArrayList<>();
        mutex.lock();
        try {
            looking = false;
            long now = context.time().nanos();
            for (Wait wait : chosen) {
                if (!waits.containsKey(wait.id())) {
                    continue;
                }
                Given given = seen.given().get(wait.id());
                if (given != null && given.left() > 0) {
                    waits.remove(wait.id());
                    Validity validity = signalsSuffice.getAsBoolean() && !given.unsure()
                            ? Validity.of(sentAt, Duration.of(given.left(), ChronoUnit.MICROS))
                            : null;
                    signals.add(() -> context.signals().granted(given.grant(), validity));
                } else {
                    int place = Math.max(1, seen.places().getOrDefault(wait.lock(), wait.place()));
                    waits.computeIfPresent(wait.id(), (claim, known) -> known.at(place, now));
                }
            }
            arm(now);
        } finally {
            mutex.unlock();
        }
        signals.forEach(Runnable::run);
    }
}
