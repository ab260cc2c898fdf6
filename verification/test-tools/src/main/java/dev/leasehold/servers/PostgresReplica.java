package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL replica follows another server by streaming replication, not synchronously, until it is promoted. It begins
 * as a copy of the other's files, made while that runs.
 */
public final class PostgresReplica implements AutoCloseable {

    private final Path directory;
    private final Path binary;
    private final int port;
    private final ServerProcess process;

    private PostgresReplica(Path binary, Path from, String url, int through, int port) throws IOException {
        this.binary = binary;
        this.port = port;
        directory = Files.createTempDirectory("leasehold-postgres-replica-");
        Path data = directory.resolve("data");
        try (Connection admin = DriverManager.getConnection(url);
                Statement statement = admin.createStatement()) {
            statement.execute("SELECT pg_backup_start('replica', true)");
            copy(from, data);
            try (ResultSet stopped = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
                stopped.next();
                Files.writeString(data.resolve("backup_label"), stopped.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        Files.writeString(data.resolve("standby.signal"), "");
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("unshare", "-U")); // It refuses to run as root.
        }
        command.addAll(List.of(binary.toString(), "-D", data.toString(), "-p", Integer.toString(port)));
        Map.of(
                        "primary_conninfo", "host=127.0.0.1 port=" + through + " user=postgres",
                        "hot_standby", "on",
                        "max_connections", "200",
                        "unix_socket_directories", "",
                        "wal_receiver_timeout", "5s",
                        "log_min_messages", "warning")
                .forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        process = ServerProcess.start(command, Map.of(), directory.resolve("log"));
        await("SELECT pg_is_in_recovery()");
    }

    /**
     * Starts one.
     *
     * @param through where the replica reaches the other: its port, or that of a proxy
     */
    public static PostgresReplica of(PostgresServer primary, int through) {
        return of(primary.binary(), primary.data(), primary.url(), through, Ports.next());
    }

    /** Starts one of a replica that has been promoted, on a port that is free again. */
    public static PostgresReplica of(PostgresReplica primary, int through, int port) {
        return of(primary.binary, primary.directory.resolve("data"), primary.url(), through, port);
    }

    private static PostgresReplica of(Path binary, Path data, String url, int through, int port) {
        try {
            return new PostgresReplica(binary, data, url, through, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies what is there; a file that goes meanwhile is in the log that is replayed. */
    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(each).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) throws IOException {
                String name = each.getFileName().toString();
                if (!name.startsWith("postmaster.") && !name.equals("standby.signal")) {
                    try {
                        Files.copy(each, to.resolve(from.relativize(each).toString()));
                    } catch (NoSuchFileException e) {
                        // It has gone since it was listed.
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path each, IOException failure) {
                return FileVisitResult.CONTINUE;
            }
        });
    }

    public int port() {
        return port;
    }

    public String url() {
        return PostgresServer.url(port);
    }

    /** Makes it a server that can be written, with what it has heard so far. */
    public void promote() {
        await("SELECT pg_promote()");
        await("SELECT NOT pg_is_in_recovery()");
    }

    private void await(String condition) {
        process.await(Duration.ofSeconds(60), () -> {
            try (Connection connection = DriverManager.getConnection(url());
                    Statement statement = connection.createStatement();
                    ResultSet answer = statement.executeQuery(condition)) {
                answer.next();
                return answer.getBoolean(1);
            }
        });
    }

    /** Kills the server; its other processes end by themselves. */
    public void kill() {
        process.kill();
    }

    @Override
    public void close() {
        kill();
        ServerFiles.delete(directory);
    }
}
