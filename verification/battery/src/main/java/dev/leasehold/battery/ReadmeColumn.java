package dev.leasehold.battery;

import java.util.Set;

/** A README column is a group of stores that the README's table promises the same of. */
enum ReadmeColumn {
    SQLITE(new Words("SQLite file", "SQLite 文件"), Set.of(StoreKind.SQLITE)),
    SQL(
            new Words("SQL database (tables)", "SQL 数据库（表）"),
            Set.of(StoreKind.POSTGRES, StoreKind.PGBOUNCER, StoreKind.MARIADB)),
    REDIS(
            new Words("Redis (one, replicas, Cluster)", "Redis（单机、副本、Cluster）"),
            Set.of(StoreKind.REDIS, StoreKind.SENTINEL, StoreKind.CLUSTER)),
    REDLOCK(new Words("Redlock (majority)", "Redlock（多数派）"), Set.of(StoreKind.REDLOCK)),
    ZOOKEEPER(new Words("ZooKeeper", "ZooKeeper"), Set.of(StoreKind.ZOOKEEPER));

    private final Words title;
    private final Set<StoreKind> stores;

    ReadmeColumn(Words title, Set<StoreKind> stores) {
        this.title = title;
        this.stores = stores;
    }

    Words title() {
        return title;
    }

    Set<StoreKind> stores() {
        return stores;
    }
}
