package dev.leasehold.jdbc;

import dev.leasehold.Finding;
import dev.leasehold.Finding.Severity;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether a user may do what locks need: found out by doing it, with statements that concern no row. A database checks rights
 * before it looks for rows. That needs no right to ask about rights, and works the same everywhere.
 */
final class DatabaseRights {

    private static final String NO_ROW = " WHERE 1 = 0";
    private static final String POSTGRES_DENIED = "42501";
    private static final int H2_DENIED = 90096;

    /** Access denied: to a database, for a user, to a table by a command, to a column. */
    private static final Set<Integer> MYSQL_DENIED = Set.of(1044, 1045, 1142, 1143);

    private DatabaseRights() {}

    static Finding finding(String node, Sql sql, Tables tables, JdbcDialect kind) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (String table : List.of("$lock", "$waiter")) {
            String named = tables.in(table);
            Map<String, String> tries = new LinkedHashMap<>();
            tries.put("SELECT", "SELECT counter FROM " + named + NO_ROW);
            tries.put("INSERT", "INSERT INTO " + named + " (namespace, name) SELECT '', ''" + NO_ROW);
            tries.put("UPDATE", "UPDATE " + named + " SET counter = 1" + NO_ROW);
            tries.put("DELETE", "DELETE FROM " + named + NO_ROW);
            List<String> denied = new ArrayList<>();
            for (Map.Entry<String, String> each : tries.entrySet()) {
                if (isDenied(sql, each.getValue(), kind)) {
                    denied.add(each.getKey());
                }
            }
            if (!denied.isEmpty()) {
                missing.add(String.join(", ", denied) + " ON " + named);
            }
        }
        return missing.isEmpty()
                ? Finding.of(Severity.FINE, "database-rights", node, "the user may do what locks need")
                : Finding.of(
                                Severity.SERIOUS,
                                "database-rights-missing",
                                node,
                                "the user has no right to " + String.join("; nor to ", missing))
                        .meaning(
                                "nobody gets a lock as this user, or nobody can wait for one",
                                "GRANT " + String.join(" TO …; GRANT ", missing) + " TO …");
    }

    /** Whatever else a database has against a statement, it is no want of rights. */
    private static boolean isDenied(Sql sql, String statement, JdbcDialect kind) throws SQLException {
        try {
            sql.run(statement);
            return false;
        } catch (SQLException e) {
            if (Dialect.isBroken(e)) {
                throw e;
            }
            return switch (kind) {
                case POSTGRESQL -> POSTGRES_DENIED.equals(e.getSQLState());
                case MARIADB, MYSQL -> MYSQL_DENIED.contains(e.getErrorCode());
                case H2 -> e.getErrorCode() == H2_DENIED;
            };
        }
    }
}
