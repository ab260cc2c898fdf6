package dev.leasehold.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** A pool that notes what is sent: each borrower prepares each statement that it runs once. */
final class StatementLog implements AutoCloseable {

    private final HikariDataSource pool = new HikariDataSource();
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();

    StatementLog(String url) {
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(6);
    }

    DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> noting(pool.getConnection()));
    }

    private Connection noting(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        sent.add((String) arguments[0]);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Returns the statements that have been sent since this was last asked. */
    List<String> drain() {
        List<String> now = new ArrayList<>();
        for (String statement = sent.poll(); statement != null; statement = sent.poll()) {
            now.add(statement);
        }
        return now;
    }

    @Override
    public void close() {
        pool.close();
    }
}
