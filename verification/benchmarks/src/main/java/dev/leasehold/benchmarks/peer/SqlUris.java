package dev.leasehold.benchmarks.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.benchmarks.server.StoreKind;

/** SqlUris tells how libraries connect to a database. */
final class SqlUris {

    private SqlUris() {}

    /** With statements that MariaDB's server prepares, as ours has it. */
    static String prepared(Target target) {
        return target.store() == StoreKind.MARIADB ? target.uri() + "&useServerPrepStmts=true" : target.uri();
    }

    /** A pool with a connection for each thread, and the driver's defaults, as the other libraries' users have it. */
    static HikariDataSource pool(Target target) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(target.uri());
        pool.setMaximumPoolSize(Math.max(2, target.threads()));
        pool.setMinimumIdle(1);
        return pool;
    }
}
