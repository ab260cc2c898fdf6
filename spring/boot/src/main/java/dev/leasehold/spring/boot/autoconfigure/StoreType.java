package dev.leasehold.spring.boot.autoconfigure;

/** A store type is the kind of store that locks live in. */
public enum StoreType {

    /** The database of the application's {@code DataSource}. */
    JDBC,

    /** The Redis that the application is connected to. */
    REDIS,

    /** The ZooKeeper of the application's {@code CuratorFramework}. */
    ZOOKEEPER,

    /** The memory of this process: for tests and trials, since nobody else sees these locks. */
    MEMORY
}
