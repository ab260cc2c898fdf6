package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.sqlite.SqliteViews.Handed;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An SQLite poller asks the file for what one client waits for and holds. Belongs to the store's thread.
 *
 * <p>A look asks SQLite whether anybody has committed anything ({@code PRAGMA data_version}, 3 µs) and reads on only if so.
 * A client that waits looks more rarely the longer it has waited, so that a hand-over is found late by at most a fiftieth of
 * the time waited, between 1 and 20 ms; and more rarely the further back it stands. A client that holds looks once per
 * second. One that does neither never looks.
 */
final class SqlitePoller {

    private static final long SHORTEST = Duration.ofMillis(1).toNanos();
    private static final long LONGEST = Duration.ofMillis(20).toNanos();
    private static final long PART_OF_WAIT = 50;
    private static final int FARTHEST = 10;
    private static final long HOLDS_EVERY = Duration.ofSeconds(1).toNanos();
    private static final int HOLDS_PER_LOOK = 256;

    /** A wait is a claim in a queue. Forgotten when the client has stopped asking. */
    private record Wait(Claim claim, long since, long until, int place) {

        /**
         * Returns how many hand-overs there are before it at least: so many waiters may come in together as its share says.
         */
        int turns() {
            return Math.max(1, Math.min(FARTHEST, place / claim.share()));
        }
    }

    private final StoreContext context;
    private final ExpiryClock clock;
    private final Map<ClaimId, Wait> waits = new LinkedHashMap<>();
    private final Map<LeaseId, Validity> holds = new LinkedHashMap<>();
    private long seenVersion;
    private long lastLook = System.nanoTime();
    private long lastLookAtHolds = lastLook;
    private boolean changed;

    SqlitePoller(StoreContext context, ExpiryClock clock) {
        this.context = context;
        this.clock = clock;
    }

    void claimed(Claim claim, ClaimAnswer answer) {
        Wait known = waits.remove(claim.id());
        if (answer instanceof ClaimAnswer.Granted granted) {
            holds.put(granted.lease(), granted.validity());
        } else if (answer instanceof ClaimAnswer.Busy busy && busy.place() > 0) {
            long now = System.nanoTime();
            long until = now + WaitingRules.aliveFor(claim.lease()).toNanos();
            waits.put(claim.id(), new Wait(claim, known == null ? now : known.since(), until, busy.place()));
        }
    }

    void renewed(LeaseId lease, RenewAnswer answer) {
        if (answer instanceof RenewAnswer.Renewed renewed) {
            holds.put(lease, renewed.validity());
        } else {
            holds.remove(lease);
        }
    }

    void released(LeaseId lease) {
        holds.remove(lease);
    }

    void withdrawn(ClaimId claim) {
        waits.remove(claim);
        holds.keySet().removeIf(lease -> lease.claim().equals(claim));
    }

    /** Returns how long until the next look, {@link Long#MAX_VALUE} if there is nothing to look for. */
    long nanosToNextLook() {
        long now = System.nanoTime();
        long next = Long.MAX_VALUE;
        for (Wait wait : waits.values()) {
            long every = Math.max(SHORTEST, Math.min(LONGEST, (now - wait.since()) / PART_OF_WAIT));
            next = Math.min(next, lastLook + every * wait.turns() - now);
        }
        return holds.isEmpty() ? next : Math.min(next, lastLookAtHolds + HOLDS_EVERY - now);
    }

    /** Returns whether this look is also one at what is held. */
    boolean looksAtHolds() {
        return System.nanoTime() - lastLookAtHolds >= HOLDS_EVERY;
    }

    void look(SqliteConnection database, SqliteViews views, boolean nudged) throws SQLException {
        lastLook = System.nanoTime();
        boolean atHolds = looksAtHolds();
        long version = database.version();
        boolean changedSinceLook = nudged || version != seenVersion;
        seenVersion = version;
        changed |= changedSinceLook;
        waits.values().removeIf(wait -> lastLook - wait.until() >= 0);
        if (changedSinceLook && !waits.isEmpty()) {
            lookForGrants(views);
        }
        if (atHolds) {
            lastLookAtHolds = lastLook;
            lookAtHolds(views);
        }
    }

    private void lookForGrants(SqliteViews views) throws SQLException {
        TxContext now = clock.begin(context.time().now());
        for (Handed handed : views.handedTo(context.clientId(), now)) {
            if (waits.remove(handed.grant().lease().claim()) != null) {
                context.signals().granted(handed.grant(), handed.validity());
            }
        }
        Map<ClaimId, Wait> moved = new HashMap<>();
        for (Wait wait : waits.values()) {
            if (wait.place() > 1 && moved.isEmpty()) {
                int place = views.place(wait.claim().lock(), wait.claim().id());
                moved.put(wait.claim().id(), new Wait(wait.claim(), wait.since(), wait.until(), place));
            }
        }
        waits.putAll(moved);
    }

    private void lookAtHolds(SqliteViews views) throws SQLException {
        long now = context.time().nanos();
        holds.values().removeIf(validity -> validity.isOver(now));
        if (!changed) {
            return;
        }
        changed = holds.size() > HOLDS_PER_LOOK;
        Map<LeaseId, Validity> looked = new LinkedHashMap<>();
        Iterator<Map.Entry<LeaseId, Validity>> rest = holds.entrySet().iterator();
        for (int i = 0; i < HOLDS_PER_LOOK && rest.hasNext(); i++) {
            Map.Entry<LeaseId, Validity> hold = rest.next();
            rest.remove();
            if (views.carries(hold.getKey())) {
                looked.put(hold.getKey(), hold.getValue());
            } else {
                context.signals().doubt(hold.getKey().lock());
            }
        }
        holds.putAll(looked); // To the end, so that all have their turn.
    }
}
