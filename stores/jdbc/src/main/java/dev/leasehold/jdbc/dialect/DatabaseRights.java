package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * DatabaseRights finds out whether a user may do what locks need by doing it, with statements that concern no row. A
 * database checks rights before it looks for rows. That needs no right to ask about rights, and works the same everywhere.
 */
public final class DatabaseRights {

    private static final String NO_ROW = " WHERE 1 = 0";
    private static final String SWEEPING = "DELETE ON ";

    private DatabaseRights() {}

    /**
     * Refuses what would fail in the middle otherwise: a user that may lock but not wait, a table of that name that is somebody
     * else's. Without the right to delete locks everything works, but for names that are not used any more: that is for the
     * doctor to say.
     */
    public static void check(Sql sql, Tables tables, String store) throws SQLException {
        List<String> missing;
        try {
            missing = missing(sql, tables);
        } catch (SQLException e) {
            if (!isNotOurs(e) || tables.dialect().isMissingTable(e)) {
                throw e;
            }
            throw foreign(e, tables, store);
        }
        missing.remove(SWEEPING + tables.in("$lock"));
        if (!missing.isEmpty()) {
            throw refusal(
                    "the user has no right to " + String.join("; nor to ", missing),
                    store,
                    tables,
                    tables.dialect().user(sql),
                    null);
        }
    }

    /** Returns the failure for when the user may not do what locks need. */
    public static LockException refusal(
            String what, String store, Tables tables, String user, @Nullable SQLException cause) {
        return refusal("the store " + store, what, "locked. Once the tables are there", tables.grants(user), cause);
    }

    /**
     * Returns the failure for when a user lacks rights.
     *
     * @param undone what was not done, and when the grants can be run
     */
    public static LockException refusal(
            String who, String what, String undone, String grants, @Nullable SQLException cause) {
        return new LockException(
                who + " refused: permission denied: " + what + "; nothing was " + undone
                        + ", let somebody who may do so run (docs/sql.md):\n\n" + grants,
                cause);
    }

    /** Returns the statements that give a user rights to tables, and to the schema that they are in where that takes one. */
    public static String grants(Dialect dialect, @Nullable String schema, List<String> rights, String user) {
        StringBuilder grants = new StringBuilder();
        if (schema != null && dialect.grantsSchemas()) {
            grants.append("GRANT USAGE ON SCHEMA ")
                    .append(dialect.quote(schema))
                    .append(" TO ")
                    .append(user)
                    .append(";\n");
        }
        rights.forEach(right -> grants.append("GRANT ")
                .append(right)
                .append(" TO ")
                .append(user)
                .append(";\n"));
        return grants.toString();
    }

    /** Returns whether a statement of ours does not fit the table. */
    public static boolean isNotOurs(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("42");
    }

    public static LockException foreign(SQLException e, Tables tables, String store) {
        return new LockException(
                "the store " + store + " has tables named like " + tables.in("$lock")
                        + " that are not those that Leasehold makes: " + e.getMessage()
                        + "; nothing was locked. Use others (leasehold.tables=… or leasehold.schema=…, docs/sql.md)",
                e);
    }

    public static Finding finding(String node, Sql sql, Tables tables) throws SQLException {
        List<String> missing = missing(sql, tables);
        return missing.isEmpty()
                ? Finding.of(Severity.FINE, "database-rights", node, "the user may do what locks need")
                : lacking(node, "the user has no right to " + String.join("; nor to ", missing), sql, tables);
    }

    /** Returns the finding for when the user may not do what locks need. */
    public static Finding lacking(String node, String what, Sql sql, Tables tables) throws SQLException {
        return Finding.of(Severity.SERIOUS, "database-rights-missing", node, what)
                .meaning(
                        "nobody gets a lock as this user, or nobody can wait for one",
                        "once the tables are there, "
                                + remedy(tables, tables.dialect().user(sql)));
    }

    /** Returns the statements on one line. */
    public static String remedy(Tables tables, String user) {
        return "run " + tables.grants(user).strip().replace("\n", " ");
    }

    /** Finds out whether statements that write get to a server that takes them, by one that changes nothing. */
    public static boolean isWritten(Sql sql, Tables tables) throws SQLException {
        try {
            sql.run(tables.in("UPDATE $lock SET counter = 1" + NO_ROW));
            return true;
        } catch (SQLException e) {
            if (Sql.isBroken(e)) {
                throw e;
            }
            return false;
        }
    }

    /** Finds out whether the user may make the tables, by a statement that makes none: it names a column twice. */
    public static boolean mayMake(Sql sql, Tables tables) throws SQLException {
        try {
            sql.run(tables.in("CREATE TABLE $lock (twice INT, twice INT)"));
            return true;
        } catch (SQLException e) {
            if (Sql.isBroken(e)) {
                throw e;
            }
            return !tables.dialect().isDenied(e);
        }
    }

    private static List<String> missing(Sql sql, Tables tables) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (String table : List.of("$lock", "$holder", "$waiter")) {
            String named = tables.in(table);
            Map<String, String> tries = new LinkedHashMap<>();
            tries.put("SELECT", "SELECT counter FROM " + named + NO_ROW);
            tries.put("INSERT", "INSERT INTO " + named + " (namespace, name) SELECT '', ''" + NO_ROW);
            tries.put("UPDATE", "UPDATE " + named + " SET counter = 1" + NO_ROW);
            tries.put("DELETE", "DELETE FROM " + named + NO_ROW);
            List<String> denied = new ArrayList<>();
            for (Map.Entry<String, String> each : tries.entrySet()) {
                if (isDenied(sql, each.getValue(), tables.dialect())) {
                    denied.add(each.getKey());
                }
            }
            if (!denied.isEmpty()) {
                missing.add(String.join(", ", denied) + " ON " + named);
            }
        }
        return missing;
    }

    /** Any other objection of a database to a statement is no want of rights. */
    private static boolean isDenied(Sql sql, String statement, Dialect dialect) throws SQLException {
        try {
            sql.run(statement);
            return false;
        } catch (SQLException e) {
            if (dialect.isDenied(e)) {
                return true;
            }
            if (Sql.isBroken(e) || isNotOurs(e)) {
                throw e;
            }
            return false;
        }
    }
}
