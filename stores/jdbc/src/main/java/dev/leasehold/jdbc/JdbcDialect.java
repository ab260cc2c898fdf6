package dev.leasehold.jdbc;

import dev.leasehold.jdbc.dialect.Product;

/**
 * A dialect is one of the databases on servers that Leasehold knows. Chosen from the connection's metadata unless told
 * otherwise. A database that only speaks the protocol of one of them, CockroachDB or TiDB for example, is refused unless its
 * dialect is named: who names it vouches for the clocks of its nodes.
 */
public enum JdbcDialect {
    /** The database is PostgreSQL 12 or newer. */
    POSTGRESQL,
    /** The database is MariaDB 10.6 or newer. */
    MARIADB,
    /** The database is MySQL 8.0 or newer. */
    MYSQL,
    /** The database is H2 2.2 or newer, with settings that lose no commits. */
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

    Product product() {
        return switch (this) {
            case POSTGRESQL -> Product.POSTGRESQL;
            case MARIADB -> Product.MARIADB;
            case MYSQL -> Product.MYSQL;
            case H2 -> Product.H2;
        };
    }
}
