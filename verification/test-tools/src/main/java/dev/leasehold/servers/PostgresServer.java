package dev.leasehold.servers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A PostgreSQL server is a real one, whose superuser {@code postgres} needs no password. It logs errors only, and keeps what
 * it commits.
 */
public final class PostgresServer implements AutoCloseable {

    private static final String EMPTY = "postgres-empty";

    private final Path directory;
    private final int port;
    private EmbeddedPostgres server;
    private ServerProcess relaunched;

    private PostgresServer(Path directory, int port) throws IOException {
        this.directory = directory;
        this.port = port;
        ServerFiles.takeKept(EMPTY, data());
        server = launch();
    }

    public static PostgresServer start() {
        try {
            return new PostgresServer(Files.createTempDirectory("leasehold-postgres-"), Ports.next());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private EmbeddedPostgres launch() throws IOException {
        return EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data())
                .setDataDirectoryCustomizer(PostgresServer::keep)
                .setOverrideWorkingDirectory(unpacked())
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("log_min_messages", "warning")
                .setServerConfig("log_min_error_statement", "error")
                .setServerConfig("max_connections", "200")
                .setErrorRedirector(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .setOutputRedirector(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
    }

    /** Kept between runs: unpacking takes longer than starting. */
    private static File unpacked() {
        return ServerFiles.besideClasses("postgres-server").toFile();
    }

    /** The server does not run yet; its starter has locked the directory. */
    private static void keep(File data) {
        try {
            ServerFiles.keep(data.toPath(), EMPTY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public String url() {
        return url(port);
    }

    /** Returns the URL at another port: through a proxy, say. */
    public static String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
    }

    /** Returns what the server has logged. */
    public String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal, as {@code kill} names it, to the server and then to the processes that it has for its connections. */
    public void signal(String name) {
        try {
            ProcessHandle main = process();
            send(name, List.of(main));
            send(name, main.children().toList());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(String name, List<ProcessHandle> processes) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(process -> command.add(Long.toString(process.pid())));
        new ProcessBuilder(command).start().waitFor();
    }

    private ProcessHandle process() throws IOException {
        String pid = Files.readAllLines(data().resolve("postmaster.pid")).get(0);
        return ProcessHandle.of(Long.parseLong(pid.strip()))
                .orElseThrow(() -> new IllegalStateException("the server has ended; see " + directory));
    }

    /** Returns the directory of its files. */
    Path data() {
        return directory.resolve("data");
    }

    /** The program that it is. */
    Path binary() {
        try {
            return Path.of(process().info().command().orElseThrow());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the server; its other processes end by themselves. */
    public void kill() {
        try {
            ProcessHandle main = process();
            send("KILL", List.of(main));
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (main.isAlive() && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(5_000_000);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        try {
            server.close(); // Or its starter would not let another one near the data.
        } catch (IOException | RuntimeException e) {
            // It is gone already.
        }
    }

    /**
     * Kills it and starts it again by the same command, with variables of its environment beside those of this JVM. It cannot
     * be restarted afterwards.
     */
    public void relaunch(Map<String, String> environment) {
        try {
            ProcessHandle.Info main = process().info();
            List<String> command = new ArrayList<>();
            if ("root".equals(System.getProperty("user.name"))) {
                command.addAll(List.of("unshare", "-U")); // As its starter does: it refuses to run as root.
            }
            command.add(main.command().orElseThrow());
            command.addAll(List.of(main.arguments().orElseThrow()));
            kill();
            Files.deleteIfExists(data().resolve("postmaster.pid"));
            relaunched = ServerProcess.start(command, environment, directory.resolve("log"));
            relaunched.await(Duration.ofSeconds(60), this::answers);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers() throws SQLException {
        DriverManager.getConnection(url()).close();
        return true;
    }

    /** Starts it again on the same port, with what it had on disk. */
    public void restart() {
        IOException last = null;
        for (int tries = 0; tries < 50; tries++) {
            try {
                server = launch();
                return;
            } catch (IOException e) {
                last = e; // The killed server's children may not have ended yet.
                LockSupport.parkNanos(100_000_000);
            }
        }
        throw new UncheckedIOException(last);
    }

    @Override
    public void close() {
        try {
            if (relaunched == null) {
                server.close();
            } else {
                relaunched.kill();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ServerFiles.delete(directory);
        }
    }
}
