package dev.leasehold.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

/** The databases on servers that Leasehold knows. Chosen from the connection's metadata unless told otherwise. */
public enum JdbcDialect {
    /** PostgreSQL 12 or newer. */
    POSTGRESQL,
    /** MariaDB 10.6 or newer. */
    MARIADB,
    /** MySQL 8.0 or newer. */
    MYSQL,
    /** H2 2.2 or newer, with settings that lose no commits. */
    H2;

    /**
     * Reads a dialect's name.
     *
     * @param name for example {@code postgresql}; case does not matter
     * @return the dialect
     * @throws IllegalArgumentException if there is none of that name
     */
    static JdbcDialect named(String name) {
        for (JdbcDialect dialect : values()) {
            if (dialect.name().equalsIgnoreCase(name)) {
                return dialect;
            }
        }
        throw new IllegalArgumentException("unknown dialect '" + name
                + "': write postgresql, mariadb, mysql or h2 (or leave it to the connection)");
    }

    /** MySQL's driver calls MariaDB MySQL; its version does not. */
    static JdbcDialect of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        String version = String.valueOf(database.getDatabaseProductVersion()).toLowerCase(Locale.ROOT);
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB" -> MARIADB;
            case "MySQL" -> version.contains("mariadb") ? MARIADB : MYSQL;
            case "H2" -> H2;
            default ->
                throw new dev.leasehold.LockException("the database is a " + product
                        + ", which Leasehold does not know; nothing was locked. Known are"
                        + " PostgreSQL, MariaDB, MySQL and H2; where it behaves like one of them in every respect, say"
                        + " which with leasehold.dialect=…; for SQLite write sqlite:PATH");
        };
    }

    Dialect rules() {
        return switch (this) {
            case POSTGRESQL -> new PostgresDialect();
            case MARIADB -> new MySqlDialect("mariadb.sql");
            case MYSQL -> new MySqlDialect("mysql.sql");
            case H2 -> new H2Dialect();
        };
    }
}
