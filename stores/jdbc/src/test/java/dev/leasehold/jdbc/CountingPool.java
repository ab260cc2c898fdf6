package dev.leasehold.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** A counting pool counts what is asked of the database: each operation, batch or look borrows a connection once. */
final class CountingPool extends HikariDataSource {

    final AtomicInteger lent = new AtomicInteger();

    CountingPool(String url) {
        setJdbcUrl(url);
        setMaximumPoolSize(6);
    }

    @Override
    public Connection getConnection() throws SQLException {
        lent.incrementAndGet();
        return super.getConnection();
    }
}
