package dev.leasehold.jdbc.server;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** Glass shows connections of a server, each of which can be looked at. */
final class Glass {
    private final List<Connection> lent = new CopyOnWriteArrayList<>();
    private final String url;

    Glass(String url) {
        this.url = url;
    }

    DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Connection connection = DriverManager.getConnection(url);
                    lent.add(connection);
                    return connection;
                });
    }

    /** The one that is kept open while nothing is done. */
    Connection pinned() throws SQLException {
        for (Connection connection : lent) {
            if (!connection.isClosed()) {
                return connection;
            }
        }
        throw new AssertionError("none is open");
    }
}
