package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * MySqlWriters finds out whether a server is one of several writable ones that are one database to their users: Galera, or
 * group replication in multi-primary mode. Session locks and the clock belong to one server, not to the cluster.
 */
public final class MySqlWriters {

    private MySqlWriters() {}

    /** Returns what makes it one of several; null if nothing is seen that does. */
    static @Nullable String several(Sql sql) throws SQLException {
        if (variable(sql, "wsrep_on").equals("ON")) {
            return "a Galera cluster (wsrep_on is ON)";
        }
        return variable(sql, "group_replication_single_primary_mode").equals("OFF")
                ? "a replication group in multi-primary mode (group_replication_single_primary_mode is OFF)"
                : null;
    }

    /** Each of them would grant the same session lock to somebody else. */
    static void refuseSessionLocks(Sql sql) throws SQLException {
        String several = several(sql);
        if (several != null) {
            throw new LockException(
                    "this database is " + several + ": its servers do not know each other's session locks, and"
                            + " each would grant the same lock; nothing was locked. Leave leasehold.sessionLocks out: locks in tables"
                            + " exclude each other there");
        }
    }

    public static Finding finding(String node, Sql sql) throws SQLException {
        String several = several(sql);
        return several == null
                ? Finding.of(
                        Severity.FINE, "database-one-writer", node, "nothing shows that several servers can be written")
                : Finding.of(Severity.WARNING, "database-several-writers", node, "it is " + several)
                        .meaning(
                                "leases end by the clock of whichever server is asked: for clients that move to another one, the "
                                        + "clock is set by the difference of the two. Session locks are refused",
                                "have all clients write to one server, and keep the clocks of all within milliseconds (NTP)")
                        .fencedOnlyAfter("a fail-over to a server whose clock is ahead");
    }

    public static String variable(Sql sql, String name) throws SQLException {
        String value = sql.first("SHOW GLOBAL VARIABLES LIKE '" + name + "'", row -> row.getString(2));
        return value == null ? "" : value;
    }
}
