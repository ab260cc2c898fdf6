package dev.leasehold.benchmarks.server;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** SQL servers are one database server, whose requests are read from a counter of its own. */
final class SqlServers implements StoreServer {

    private final StoreKind kind;
    private final String uri;
    private final AutoCloseable server;
    private final String counter;
    private final int column;
    private final Connection connection;
    private final long pid;

    private SqlServers(StoreKind kind, String uri, AutoCloseable server, String counter, int column, String pid)
            throws Exception {
        this.kind = kind;
        this.uri = uri;
        this.server = server;
        this.counter = counter;
        this.column = column;
        connection = DriverManager.getConnection(uri);
        String found = ask(pid, 1);
        this.pid = kind == StoreKind.POSTGRES
                ? ProcessHandle.of(Long.parseLong(found))
                        .flatMap(ProcessHandle::parent)
                        .map(ProcessHandle::pid)
                        .orElse(-1L)
                : Long.parseLong(Files.readString(Path.of(found)).strip());
    }

    static SqlServers postgres() throws Exception {
        PostgresServer server = PostgresServer.start();
        return new SqlServers(
                StoreKind.POSTGRES,
                server.url(),
                server,
                "SELECT pg_snapshot_xmax(pg_current_snapshot())::text",
                1,
                "SELECT pg_backend_pid()");
    }

    static SqlServers mariaDb() throws Exception {
        MariaDbServer server = MariaDbServer.start();
        return new SqlServers(
                StoreKind.MARIADB, server.url(), server, "SHOW GLOBAL STATUS LIKE 'Questions'", 2, "SELECT @@pid_file");
    }

    private String ask(String question, int column) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            answer.next();
            return answer.getString(column);
        }
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public String version() throws SQLException {
        String version = connection.getMetaData().getDatabaseProductVersion();
        return kind.label() + " " + version.replaceFirst("[^\\d.].*", "");
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public long cpuNanos() {
        return ProcessTime.withDescendants(pid);
    }

    @Override
    public long requestsDuring(Task task) throws Exception {
        long before = Long.parseLong(ask(counter, column));
        task.run();
        return Long.parseLong(ask(counter, column)) - before;
    }

    @Override
    public void close() throws Exception {
        connection.close();
        server.close();
    }
}
