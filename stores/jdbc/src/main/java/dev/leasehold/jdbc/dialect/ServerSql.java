package dev.leasehold.jdbc.dialect;

import java.util.List;

/**
 * Server SQL has the statements of a store on a server, for one dialect and one set of tables. Immutable.
 *
 * <p>No value is ever spliced into them. {@code NOW} is the database's clock when it began the statement: a statement that
 * then waits for a row goes by a time that is past. This is safe, because such a time only errs on one side: a lease is
 * taken for one that still runs, or ends earlier in the store than {@code sentAt} allows its holder to believe.
 */
public final class ServerSql {

    /** {@code ServerLocks} reads these columns of a row. */
    static final String COLUMNS = "last, client, counter, owner, token, run_end, since, ends, waiters";

    private static final String ROW = " WHERE namespace = ? AND name = ?";
    private static final String LEASE = ROW + " AND client = ? AND counter = ? AND token = ?";

    /** The row is as it was when it was locked: see {@code ServerLocks}. */
    private static final String UNCHANGED = ROW + " AND last = ? AND token = ?";

    /** A single statement cannot see whether a shared lock is free: its holders and their ends are in another table. */
    private static final String NOT_SHARED = " AND (client IS NULL OR client <> '*')";

    private static final String COUNT = "(SELECT COUNT(*) FROM $waiter WHERE namespace = ? AND name = ?)";

    private final Tables tables;
    private final String now;

    // Single statements, which decide by the lock's own columns.
    public final String grantFree;
    public final String insertGranted;
    public final String renew;
    public final String timeLeft;
    public final String renewHolder;
    public final String release;
    public final String releaseAndKeep;

    // In a transaction that has locked the row.
    public final String lockRow;
    public final String insertRow;
    public final String grant;
    public final String extend;
    public final String keep;
    public final String recount;
    public final String removeExpired;
    public final String findWaiter;
    public final String lockWaiter;
    public final String firstWaiter;
    public final String tail;
    public final String addWaiter;
    public final String join;
    public final String hearWaiter;
    public final String moveWaiter;
    public final String place;
    public final String removeWaiter;
    public final String countWaiter;

    // The holders that share a lock, whose row is locked.
    public final String holders;
    public final String findHolder;
    public final String addHolder;
    public final String extendHolder;
    public final String keepHolder;
    public final String removeHolder;
    public final String removeExpiredHolders;

    // Only reading.
    public final String waitingView;
    public final String time;
    public final String busy;
    public final String busyNamed;
    public final String listWaiters;

    // Cleaning up.
    public final String oldRows;
    public final String deleteOld;

    public ServerSql(Tables tables) {
        this.tables = tables;
        Dialect dialect = tables.dialect();
        this.now = dialect.now();
        String next = "GREATEST(last + 1, NOW)";
        // "last" comes last: some databases give the new value to what follows an assignment.
        grantFree = text("UPDATE $lock SET token = " + dialect.marked(next) + ", run_end = " + next
                + " + ?, client = ?, counter = ?, owner = ?, since = NOW, ends = NOW + ?, handed = 0, last = " + next
                + " + ?" + ROW + " AND ends <= NOW AND waiters = 0" + NOT_SHARED);
        insertGranted = text(dialect.insertInto()
                + "$lock (namespace, name, token, run_end, client, counter, owner, since, ends, last) VALUES (?, ?, "
                + dialect.marked("NOW") + ", NOW + ?, ?, ?, ?, NOW, NOW + ?, NOW + ?)" + dialect.unlessThere());
        renew = text("UPDATE $lock SET ends = NOW + " + dialect.marked("GREATEST(ends - NOW, ?)") + ", handed = 0"
                + LEASE + " AND ends > NOW");
        timeLeft = text("ends - NOW");
        renewHolder = text("UPDATE $holder SET ends = NOW + " + dialect.marked("GREATEST(ends - NOW, ?)") + LEASE
                + " AND ends > NOW");
        release = text("UPDATE $lock SET client = NULL, counter = NULL, owner = '', ends = 0, handed = 0" + LEASE
                + " AND ends > NOW AND waiters = 0");
        releaseAndKeep = text("UPDATE $lock SET client = NULL, counter = NULL, owner = '', ends = NOW + ?, handed = 0"
                + LEASE + " AND ends > NOW");

        lockRow = text(dialect.lockRow(COLUMNS));
        insertRow = text(dialect.insertInto() + "$lock (namespace, name) VALUES (?, ?)" + dialect.unlessThere());
        grant = text("UPDATE $lock SET last = ?, client = ?, counter = ?, owner = ?, token = ?, run_end = ?, since = ?,"
                + " ends = ?, handed = ?, waiters = " + COUNT + UNCHANGED);
        extend = text("UPDATE $lock SET ends = ?, handed = 0, waiters = " + COUNT + UNCHANGED
                + " AND client = ? AND counter = ?");
        keep = text("UPDATE $lock SET client = NULL, counter = NULL, owner = '', ends = ?, handed = 0, waiters = "
                + COUNT + UNCHANGED);
        recount = text("UPDATE $lock SET waiters = " + COUNT + ROW);
        removeExpired = text("DELETE FROM $waiter" + ROW + " AND alive_until <= ?");
        String waiter = "SELECT position, client, counter, owner, lease, spare, share FROM $waiter" + ROW;
        findWaiter = text(waiter + " AND client = ? AND counter = ?");
        lockWaiter = findWaiter + " FOR UPDATE";
        firstWaiter = text(waiter + " ORDER BY position LIMIT 1");
        tail = text("SELECT COUNT(*), COALESCE(MAX(position), 0) FROM $waiter" + ROW);
        String newWaiter =
                "INSERT INTO $waiter (namespace, name, position, client, counter, owner, since, lease, spare,"
                        + " share, alive_until) ";
        addWaiter = text(newWaiter + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        join = text(newWaiter + "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM $waiter" + ROW
                + " AND client = ? AND counter = ?)");
        hearWaiter = text("UPDATE $waiter SET lease = ?, spare = ?, alive_until = ?" + ROW
                + " AND position = ? AND client = ? AND counter = ? AND alive_until > NOW");
        moveWaiter = text("UPDATE $waiter SET position = ?, owner = ?, since = ?, lease = ?, spare = ?, share = ?,"
                + " alive_until = ?" + ROW + " AND position = ? AND client = ? AND counter = ?");
        place = text("SELECT COUNT(*) FROM $waiter" + ROW + " AND position <= ?");
        removeWaiter = text("DELETE FROM $waiter" + ROW + " AND position = ? AND client = ? AND counter = ?");

        countWaiter = text("UPDATE $lock SET waiters = waiters + 1" + ROW);

        holders = text("SELECT client, counter, owner, token, run_end, share, slot, since, ends FROM $holder" + ROW
                + " ORDER BY token");
        findHolder = text("SELECT token FROM $holder" + ROW + " AND token = ?");
        addHolder = text("INSERT INTO $holder (namespace, name, token, client, counter, owner, run_end, share, slot,"
                + " since, ends) SELECT namespace, name, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM $lock" + UNCHANGED);
        extendHolder = text("UPDATE $holder SET ends = GREATEST(ends, ?)" + ROW + " AND token = ?");
        keepHolder =
                text("UPDATE $holder SET client = NULL, counter = NULL, owner = '', ends = ?" + ROW + " AND token = ?");
        removeHolder = text("DELETE FROM $holder" + ROW + " AND token = ?");
        removeExpiredHolders = text("DELETE FROM $holder" + ROW + " AND ends <= ?");

        String queue = " FROM $waiter w WHERE w.namespace = l.namespace AND w.name = l.name";
        waitingView = text("SELECT l." + COLUMNS.replace(", ", ", l.") + ", NOW, (SELECT w.share" + queue
                + " AND w.alive_until > NOW ORDER BY w.position LIMIT 1), (SELECT COALESCE(MAX(w.position), 0)" + queue
                + "), (SELECT COUNT(*)" + queue + " AND w.alive_until > NOW AND w.position <= o.position), o.position,"
                + " o.client, o.counter, o.owner, o.lease, o.spare, o.share, o.alive_until FROM $lock l LEFT JOIN $waiter o"
                + " ON o.namespace = l.namespace AND o.name = l.name AND o.client = ? AND o.counter = ?"
                + " WHERE l.namespace = ? AND l.name = ? ORDER BY o.position");
        time = text("SELECT NOW, " + dialect.idleLimit());
        busy = text("SELECT " + COLUMNS + ", name FROM $lock WHERE namespace = ? AND (ends > ? OR waiters > 0"
                + " OR client = '*')");
        busyNamed = busy + " AND name = ?";
        listWaiters = text("SELECT owner, since, share FROM $waiter" + ROW + " AND alive_until > ? ORDER BY position");

        oldRows = text("SELECT name, last, waiters, NOW - ?, ends, client FROM $lock WHERE namespace = ? AND name > ?"
                + " ORDER BY name LIMIT 64");
        deleteOld = text("DELETE FROM $lock" + ROW + " AND last = ? AND ends <= NOW AND waiters = 0" + NOT_SHARED);
    }

    /**
     * Reads what a client's waits have come to: which of some locks it has, and its place in the queues of the others. The
     * place is found by counting, so that a look reads a row of the index for each process that waits before this one.
     * Parameters: the client, the namespace, the names.
     */
    public String look(int names) {
        return text("SELECT l.name, l.client, l.counter, l.token, l.run_end, l.ends - NOW,"
                + " (SELECT COUNT(*) FROM $waiter w WHERE w.namespace = l.namespace AND w.name = l.name"
                + " AND w.position <= (SELECT MIN(m.position) FROM $waiter m WHERE m.namespace = l.namespace"
                + " AND m.name = l.name AND m.client = ?)), " + dialect().readsWhatMayBeLost()
                + " FROM $lock l WHERE l.namespace = ? AND l.name IN (" + parameters(names) + ")");
    }

    /** Reads which of some locks a client shares. Parameters: the client, the namespace, the names. */
    public String lookAtShared(int names) {
        return text("SELECT name, counter, token, run_end, share, slot, ends - NOW, "
                + dialect().readsWhatMayBeLost() + " FROM $holder WHERE client = ? AND namespace = ? AND name IN ("
                + parameters(names) + ") ORDER BY token");
    }

    /** Locks the rows that nobody else has locked. Parameters: the namespace, the names. */
    public String lockRows(int names) {
        return text("SELECT name, client, counter, token, ends, NOW, "
                + dialect().idleLimit() + " FROM $lock WHERE namespace = ? AND name IN (" + parameters(names)
                + ") FOR UPDATE SKIP LOCKED");
    }

    /** Extends leases whose rows are locked. Parameters: the end, the client, the namespace, the names, the tokens. */
    public String extendRows(int names) {
        return text(
                "UPDATE $lock SET ends = GREATEST(ends, ?), handed = 0 WHERE client = ? AND namespace = ? AND name IN ("
                        + parameters(names) + ") AND token IN (" + parameters(names) + ")");
    }

    /** Extends holders that are not over. Parameters: the duration, the client, the namespace, the names, the tokens. */
    public String renewHolders(int names) {
        return text("UPDATE $holder SET ends = GREATEST(ends, NOW + ?) WHERE client = ? AND namespace = ? AND name IN ("
                + parameters(names) + ") AND token IN (" + parameters(names) + ") AND ends > NOW");
    }

    /**
     * Returns the values for a statement with many names: others first, then the names, the last as often as needed.
     */
    public Object[] values(List<String> names, Object... others) {
        Object[] values = new Object[others.length + roundedUp(names.size())];
        System.arraycopy(others, 0, values, 0, others.length);
        for (int i = others.length; i < values.length; i++) {
            values[i] = dialect().name(names.get(Math.min(i - others.length, names.size() - 1)));
        }
        return values;
    }

    public Dialect dialect() {
        return tables.dialect();
    }

    public Tables tables() {
        return tables;
    }

    /** Puts the tables' names and the clock into a statement. */
    String text(String statement) {
        return tables.in(statement.replace("NOW", now));
    }

    /** Returns how many parameters a statement has for the names of so many locks: perhaps more than there are names. */
    public static int roundedUp(int names) {
        return names <= 1 ? 1 : Integer.highestOneBit(names - 1) << 1;
    }

    static String parameters(int number) {
        return "?" + ", ?".repeat(number - 1);
    }
}
