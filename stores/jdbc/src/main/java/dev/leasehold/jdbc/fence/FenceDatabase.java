package dev.leasehold.jdbc.fence;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.Product;
import java.nio.charset.StandardCharsets;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A fence database is one that can keep a fence: those that can keep locks, and SQLite. */
public enum FenceDatabase {
    POSTGRESQL,
    MARIADB,
    MYSQL,
    H2,
    SQLITE;

    private static final int NO_SUCH_TABLE = 1;

    public static FenceDatabase of(DatabaseMetaData database, @Nullable Product known) throws SQLException {
        if (known == null && "SQLite".equals(database.getDatabaseProductName())) {
            return SQLITE;
        }
        return switch (known == null ? Product.of(database) : known) {
            case POSTGRESQL -> POSTGRESQL;
            case MARIADB -> MARIADB;
            case MYSQL -> MYSQL;
            case H2 -> H2;
        };
    }

    /** Registers a token; see {@link FenceRegistration}. */
    long register(Sql sql, String table, Object resource, long token) throws SQLException {
        return switch (this) {
            case POSTGRESQL, SQLITE -> FenceRegistration.upserting(sql, table, resource, token);
            case MARIADB, MYSQL -> FenceRegistration.countingTurns(sql, table, resource, token);
            case H2 -> FenceRegistration.lockingFirst(sql, table, resource, token);
        };
    }

    /** Registers a reader's token; see {@link SharedRegistration}. */
    long registerShared(Sql sql, String table, Object resource, long token) throws SQLException {
        return switch (this) {
            case POSTGRESQL -> SharedRegistration.raisingFirst(sql, table, resource, token);
            case MARIADB, MYSQL -> SharedRegistration.lookingFirst(sql, table, resource, token);
            case H2 -> SharedRegistration.lockingFirst(sql, table, resource, token);
            case SQLITE -> SharedRegistration.readingFirst(sql, table, resource, token);
        };
    }

    String schema() {
        return "schema/fence-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    String quote(String identifier) {
        char quote = isMySql() ? '`' : '"';
        return quote + identifier + quote;
    }

    Object resource(String name) {
        return isMySql() ? name.getBytes(StandardCharsets.UTF_8) : name;
    }

    private boolean isMySql() {
        return this == MARIADB || this == MYSQL;
    }

    boolean isMissingTable(SQLException e) {
        Dialect rules = rules();
        return rules != null
                ? rules.isMissingTable(e)
                : e.getErrorCode() == NO_SUCH_TABLE
                        && String.valueOf(e.getMessage()).contains("no such table");
    }

    /** Returns the dialect of a database on a server, or null for SQLite, which has no users. */
    @Nullable Dialect rules() {
        return this == SQLITE ? null : Product.valueOf(name()).rules();
    }
}
