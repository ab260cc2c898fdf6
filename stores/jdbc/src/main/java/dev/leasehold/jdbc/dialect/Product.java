package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

/** A product is one of the databases on servers that Leasehold knows, with its dialect. */
public enum Product {
    POSTGRESQL,
    MARIADB,
    MYSQL,
    H2;

    /** MySQL's driver calls MariaDB MySQL; its version does not. */
    public static Product of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName();
        String version = String.valueOf(database.getDatabaseProductVersion()).toLowerCase(Locale.ROOT);
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB" -> MARIADB;
            case "MySQL" -> version.contains("mariadb") ? MARIADB : MYSQL;
            case "H2" -> H2;
            default ->
                throw new LockException("the database is a " + product
                        + ", which Leasehold does not know; nothing was locked. Known are"
                        + " PostgreSQL, MariaDB, MySQL and H2; where it behaves like one of them in every respect, say"
                        + " which with leasehold.dialect=…; for SQLite write sqlite:PATH");
        };
    }

    public Dialect rules() {
        return switch (this) {
            case POSTGRESQL -> new PostgresDialect();
            case MARIADB -> new MySqlDialect("mariadb.sql");
            case MYSQL -> new MySqlDialect("mysql.sql");
            case H2 -> new H2Dialect();
        };
    }
}
