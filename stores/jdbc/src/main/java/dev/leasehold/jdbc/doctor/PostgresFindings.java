package dev.leasehold.jdbc.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PostgresFindings examines what PostgreSQL's settings and replicas do to locks. */
final class PostgresFindings {

    private static final String LAGGING = "a fail-over to a replica that lacks the latest locks";

    /** A transaction may be open for that long before it is reported. */
    private static final long LONG_SECONDS = 60;

    private static final long FULL_PERCENT = 50;

    /**
     * Behind a snapshot that is this old, a lock that is taken a thousand times a second has that many versions of its
     * row, and more.
     */
    private static final long OLD_TRANSACTIONS = 10_000;

    private PostgresFindings() {}

    static List<Finding> of(String node, Sql sql) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        findings.add(writable(
                node,
                sql.number("SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END") == 1,
                setting(sql, "transaction_read_only")));
        findings.add(commits(node, setting(sql, "fsync"), setting(sql, "synchronous_commit")));
        findings.add(replication(
                node,
                sql.number("SELECT COUNT(*) FROM pg_stat_replication"),
                setting(sql, "synchronous_standby_names"),
                setting(sql, "synchronous_commit")));
        findings.add(snapshots(node, longestTransaction(sql), oldestKept(sql)));
        return findings;
    }

    /** Returns whether the server's queue of messages is filling up; null where it is not. */
    static @Nullable Finding messages(String node, Sql sql) throws SQLException {
        long percent = sql.number("SELECT FLOOR(100 * pg_notification_queue_usage())::bigint");
        return percent < FULL_PERCENT
                ? null
                : Finding.of(
                                Severity.WARNING,
                                "database-messages-full",
                                node,
                                "the server's queue of messages (NOTIFY) is " + percent + " % full")
                        .meaning(
                                "once it is full, releases go without a message, and waiters hear of them late",
                                "end the session that has listened, perhaps another application's, and keeps a transaction"
                                        + " open (pg_stat_activity: idle in transaction)");
    }

    /**
     * Returns what keeps the database from taking away old versions of rows. A lock that is taken often leaves one with
     * every grant and every release, and each read of its row has to pass by all of them.
     */
    static Finding snapshots(String node, long seconds, long transactions) {
        if (seconds < LONG_SECONDS && transactions < OLD_TRANSACTIONS) {
            return Finding.of(
                    Severity.FINE,
                    "database-no-old-snapshot",
                    node,
                    "no old snapshot is open, as far as this user may see");
        }
        return Finding.of(
                        Severity.WARNING,
                        "database-old-snapshot",
                        node,
                        seconds >= LONG_SECONDS
                                ? "a transaction has been open for " + seconds + " s"
                                : "a replication slot, a replica or a prepared transaction holds back the snapshot of "
                                        + transactions + " transactions ago")
                .meaning(
                        "old versions of rows are kept as long: a lock that is taken often becomes slower with every time,"
                                + " about ten times after 12,000",
                        "end it (pg_stat_activity, pg_replication_slots, pg_prepared_xacts tell which it is); run reports"
                                + " on a replica without hot_standby_feedback, and drop slots that nobody reads");
    }

    /**
     * Returns for how many seconds the oldest transaction with a snapshot of this database has been open, of those that
     * this user may see.
     */
    static long longestTransaction(Sql sql) throws SQLException {
        return sql.number(
                "SELECT COALESCE(MAX(FLOOR(EXTRACT(EPOCH FROM clock_timestamp() - xact_start))), 0)::bigint"
                        + " FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND datname = current_database() AND pid <> pg_backend_pid()");
    }

    /** Returns how many transactions ago the oldest snapshot was taken that is kept without a session. */
    static long oldestKept(Sql sql) throws SQLException {
        return sql.number("SELECT COALESCE(MAX(age(xmin)), 0)::bigint FROM (SELECT xmin FROM pg_replication_slots"
                + " UNION ALL SELECT backend_xmin FROM pg_stat_replication"
                + " UNION ALL SELECT transaction FROM pg_prepared_xacts WHERE database = current_database()) AS kept");
    }

    private static String setting(Sql sql, String name) throws SQLException {
        String value = sql.first("SELECT current_setting(?)", row -> row.getString(1), name);
        return value == null ? "" : value;
    }

    static Finding writable(String node, boolean replica, String readOnly) {
        if (replica) {
            return Finding.of(Severity.SERIOUS, "database-read-only", node, "it is a replica")
                    .meaning(
                            "it refuses writes, so that nobody gets a lock",
                            "name the primary; or all of them, jdbc:postgresql://HOST1,HOST2/…?targetServerType=primary");
        }
        return readOnly.equals("on")
                ? Finding.of(Severity.SERIOUS, "database-read-only", node, "default_transaction_read_only is on")
                        .meaning("nobody gets a lock on such connections", "set it to off for this user or database")
                : Finding.of(Severity.FINE, "database-writable", node, "it is a primary that can be written");
    }

    static Finding commits(String node, String fsync, String commits) {
        if (fsync.equals("off")) {
            return Finding.of(Severity.WARNING, "database-forgets", node, "fsync is off")
                    .meaning("when the machine crashes it may forget any lock, or be damaged", "set fsync to on")
                    .fencedOnlyAfter("a crash of the database's machine");
        }
        return commits.equals("off")
                ? Finding.of(
                                Severity.WARNING,
                                "database-forgets",
                                node,
                                "synchronous_commit is off on these connections")
                        .meaning(
                                "when the database crashes it forgets the locks of the last moment, which are granted to somebody "
                                        + "else while their holders go on",
                                "set it to on for the user of the locks")
                        .fencedOnlyAfter("a crash of the database")
                : Finding.of(
                        Severity.FINE, "database-commits", node, "what is committed is on disk before it is answered");
    }

    static Finding replication(String node, long replicas, String synchronous, String commits) {
        if (!synchronous.isEmpty() && !commits.equals("local") && !commits.equals("off")) {
            return Finding.of(
                    Severity.FINE,
                    "database-replicas",
                    node,
                    "commits wait for replicas (synchronous_standby_names is '" + synchronous
                            + "'): what none of them has is not granted, and while none answers nobody gets a lock");
        }
        if (replicas == 0) {
            return Finding.of(Severity.NOTE, "database-no-replica", node, "no replica is connected")
                    .meaning(
                            "while this database is down nobody gets a lock", "if that matters: a synchronous replica");
        }
        return Finding.of(
                        Severity.WARNING,
                        "database-fail-over-forgets",
                        node,
                        replicas + (replicas == 1 ? " replica is" : " replicas are")
                                + " connected, and commits wait for none")
                .meaning(
                        "whichever is promoted may lack the latest locks; they are granted to somebody else at once, while "
                                + "their holders go on",
                        "name replicas in synchronous_standby_names, and leave synchronous_commit at on or remote_apply")
                .fencedOnlyAfter(LAGGING);
    }
}
