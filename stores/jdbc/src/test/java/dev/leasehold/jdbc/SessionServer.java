package dev.leasehold.jdbc;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.MySqlDialect;
import dev.leasehold.jdbc.dialect.MySqlSessions;
import dev.leasehold.jdbc.dialect.PostgresDialect;
import dev.leasehold.jdbc.dialect.PostgresSessions;
import dev.leasehold.jdbc.dialect.SessionRules;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.jdbc.server.SessionKeys;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** A session server is what the tests of session locks need of one: PostgreSQL or MariaDB. */
public record SessionServer(
        String name, String url, int port, SessionRules rules, AutoCloseable server, Runnable restart)
        implements AutoCloseable {

    public static final String OPTION = "&leasehold.sessionLocks=true";

    public static SessionServer postgres() {
        PostgresServer postgres = PostgresServer.start();
        return new SessionServer(
                "PostgreSQL", postgres.url(), postgres.port(), new PostgresSessions(), postgres, () -> {
                    postgres.kill();
                    postgres.restart();
                });
    }

    public static SessionServer mariadb() {
        MariaDbServer mariadb = MariaDbServer.start();
        return new SessionServer("MariaDB", mariadb.url(), mariadb.port(), new MySqlSessions(), mariadb, () -> {
            mariadb.kill();
            mariadb.restart();
        });
    }

    public String sessionUrl() {
        return url + OPTION;
    }

    /** Returns the URL at another port: through a proxy, say. */
    public String sessionUrl(int otherPort) {
        return url.replace(":" + port + "/", ":" + otherPort + "/") + OPTION;
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    public Object key(String lock) throws SQLException {
        try (Connection connection = connect()) {
            Sql sql = new Sql(connection);
            Dialect dialect =
                    rules instanceof PostgresSessions ? new PostgresDialect() : new MySqlDialect("mariadb.sql");
            Tables tables = new Tables(dialect, null, Tables.PREFIX);
            return new SessionKeys(rules, rules.place(sql, tables), Tables.PREFIX, "").of(lock);
        }
    }

    public boolean isTaken(String lock) throws SQLException {
        Object key = key(lock);
        try (Connection connection = connect()) {
            return !rules.taken(new Sql(connection), List.of(key)).isEmpty();
        }
    }

    /** Ends the session that holds a lock, as an operator does. */
    public void endSessionOf(String lock) throws SQLException {
        Object key = key(lock);
        try (Connection connection = connect()) {
            rules.end(new Sql(connection), key);
        }
    }

    @Override
    public void close() throws Exception {
        server.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
