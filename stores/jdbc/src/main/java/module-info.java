/** This module keeps locks in a SQL database; start at {@link dev.leasehold.jdbc}. */
module dev.leasehold.jdbc {
    requires transitive dev.leasehold;
    requires transitive java.sql;
    requires com.zaxxer.hikari;
    requires static org.postgresql.jdbc;
    requires static org.checkerframework.checker.qual;
    requires static org.jspecify;

    exports dev.leasehold.jdbc;

    provides dev.leasehold.spi.StoreProvider with
            dev.leasehold.jdbc.SqliteStoreProvider,
            dev.leasehold.jdbc.JdbcStoreProvider;
}
