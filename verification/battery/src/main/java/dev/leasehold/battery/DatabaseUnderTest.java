package dev.leasehold.battery;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A database under test is a server with locks in tables, or with those of its sessions. It keeps what it has committed, unless it is made to forget: then
 * the tables are there, as an operator would have made them anew, and their rows are not.
 */
final class DatabaseUnderTest implements StoreUnderTest {

    /** A server is one as far as the battery needs it. */
    private record Server(
            int port, String url, Signals signals, Runnable kill, Runnable restart, Runnable close, String sessions) {}

    private interface Signals {
        void send(String name);
    }

    /** The table that says how the others are laid out belongs to their making. */
    private static final String TABLES = "SELECT table_name FROM information_schema.tables"
            + " WHERE table_schema IN ('public', 'test') AND LOWER(table_name) <> 'leasehold_layout'";

    private final Server server;
    private final ClockShim clock;
    private final String option;
    private final Collection<FaultProxy> proxies = new ConcurrentLinkedQueue<>();

    private DatabaseUnderTest(Server server, ClockShim clock, String option) {
        this.server = server;
        this.clock = clock;
        this.option = option;
    }

    /** Starts a PostgreSQL whose clients have a further option in their URLs, or none if that is empty. */
    static DatabaseUnderTest postgres(Path directory, Fault fault, String option) throws IOException {
        ClockShim clock = clock(directory, fault);
        PostgresServer postgres = PostgresServer.start();
        if (clock != null) {
            postgres.relaunch(clock.environment());
        }
        return new DatabaseUnderTest(
                new Server(
                        postgres.port(),
                        postgres.url(),
                        postgres::signal,
                        postgres::kill,
                        postgres::restart,
                        postgres::close,
                        "SELECT 'SELECT pg_terminate_backend(' || pid || ')' FROM pg_stat_activity"
                                + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"),
                clock,
                option);
    }

    /** Starts a MariaDB whose clients have a further option in their URLs, or none if that is empty. */
    static StoreUnderTest mariaDb(Path directory, Fault fault, String option) throws IOException {
        ClockShim clock = clock(directory, fault);
        MariaDbServer maria = MariaDbServer.start(clock == null ? Map.of() : clock.environment());
        return new DatabaseUnderTest(
                new Server(
                        maria.port(),
                        maria.url(),
                        maria::signal,
                        maria::kill,
                        maria::restart,
                        maria::close,
                        "SELECT CONCAT('KILL CONNECTION ', id) FROM information_schema.processlist"
                                + " WHERE user = 'root' AND id <> CONNECTION_ID()"),
                clock,
                option);
    }

    int port() {
        return server.port();
    }

    private static ClockShim clock(Path directory, Fault fault) throws IOException {
        return fault.movesServerClock() ? ClockShim.create(directory.resolve("server.clock")) : null;
    }

    @Override
    public void moveClock(int index, Duration by) throws IOException {
        clock.moveWall(by.toNanos() / 1_000);
    }

    @Override
    public void killSessions(int index) throws SQLException {
        try (Connection admin = DriverManager.getConnection(server.url());
                Statement statement = admin.createStatement()) {
            for (String kill : Pool.names(admin, server.sessions())) {
                try {
                    statement.execute(kill);
                } catch (SQLException e) {
                    // That session has ended by itself.
                }
            }
        }
    }

    @Override
    public Way way() {
        FaultProxy proxy = FaultProxy.to(server.port());
        proxies.add(proxy);
        return new Way(uri().replace(":" + server.port() + "/", ":" + proxy.port() + "/"), List.of(proxy));
    }

    @Override
    public String uri() {
        return withOption(server.url(), option);
    }

    static String withOption(String url, String option) {
        return option.isEmpty() ? url : url + (url.contains("?") ? '&' : '?') + option;
    }

    @Override
    public String version() throws SQLException {
        return Pool.version(server.url());
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public void signal(int index, String signal) {
        server.signals().send(signal);
    }

    @Override
    public void kill(int index) {
        server.kill().run();
    }

    /** Starts it again. Without its data, no client comes near it until they have gone. */
    @Override
    public void restart(int index, boolean withData) throws SQLException {
        if (withData) {
            server.restart().run();
            return;
        }
        proxies.forEach(proxy -> proxy.refuse(true));
        try {
            server.restart().run();
            flush(index);
        } finally {
            proxies.forEach(proxy -> proxy.refuse(false));
        }
    }

    /** Deletes all rows in one transaction. */
    @Override
    public void flush(int index) throws SQLException {
        try (Connection admin = DriverManager.getConnection(server.url())) {
            admin.setAutoCommit(false);
            List<String> tables = Pool.names(admin, TABLES);
            while (!isEmptied(admin, tables)) {
                admin.rollback();
            }
        }
    }

    /** Returns false if a client's transaction was in the way, so that the database gave this one up. */
    private static boolean isEmptied(Connection admin, List<String> tables) throws SQLException {
        try (Statement statement = admin.createStatement()) {
            for (String table : tables) {
                statement.executeUpdate("DELETE FROM " + table);
            }
            admin.commit();
            return true;
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith("40")) {
                return false;
            }
            throw e;
        }
    }

    /** Returns the gauges of the server. A session that is seen here includes none of the battery's own. */
    @Override
    public Map<String, Long> gauges() throws SQLException {
        Map<String, Long> gauges = new LinkedHashMap<>();
        gauges.put("connections", Pool.count(server.url(), "(" + server.sessions() + ") others"));
        gauges.putAll(Pool.rows(
                server.url(),
                "SELECT table_name FROM information_schema.tables WHERE LOWER(table_name) LIKE 'leasehold%'"));
        return gauges;
    }

    @Override
    public int overtaking() {
        return 16;
    }

    @Override
    public void close() {
        server.close().run();
    }
}
