/** Locks in a SQL database; start at {@link dev.leasehold.jdbc}. */
module dev.leasehold.jdbc {
    requires transitive dev.leasehold;
    requires java.sql;
    requires static org.jspecify;

    exports dev.leasehold.jdbc;

    provides dev.leasehold.spi.StoreProvider with
            dev.leasehold.jdbc.SqliteStoreProvider;
}
