package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A PgBouncer is a real pooler in transaction mode before a {@link PostgresServer}. It trusts its clients. Its program is the one that {@link #VARIABLE} names: Maven Central has none.
 */
public final class PgBouncer implements AutoCloseable {

    /** The environment variable that names the program. */
    public static final String VARIABLE = "LEASEHOLD_TEST_PGBOUNCER";

    /** The column of a client's database. */
    private static final int DATABASE = 2;

    private final Path program;
    private final Path directory;
    private final int port;
    private ServerProcess process;

    private PgBouncer(Path program, int postgresPort) throws IOException {
        this.program = program;
        port = Ports.next();
        directory = Files.createTempDirectory("leasehold-pgbouncer-");
        Files.writeString(users(), "\"postgres\" \"\"\n");
        Files.writeString(
                settings(),
                String.join(
                        "\n",
                        "[databases]",
                        "postgres = host=127.0.0.1 port=" + postgresPort,
                        "[pgbouncer]",
                        "listen_addr = 127.0.0.1",
                        "listen_port = " + port,
                        "unix_socket_dir =",
                        "auth_type = trust",
                        "auth_file = " + users(),
                        "admin_users = postgres",
                        "pool_mode = transaction",
                        "max_client_conn = 500",
                        "ignore_startup_parameters = extra_float_digits", // PostgreSQL's driver asks for it.
                        "server_login_retry = 1", // By default clients are refused for up to 15 s after PostgreSQL is
                        // back.
                        ""));
        process = launch();
    }

    /** Returns the program that the environment names, if there is one. */
    public static Optional<Path> program() {
        return Optional.ofNullable(System.getenv(VARIABLE)).map(Path::of);
    }

    /**
     * Starts a pooler.
     *
     * @param program see {@link #program()}
     * @param postgresPort of the server that it lends the sessions of
     */
    public static PgBouncer start(Path program, int postgresPort) {
        try {
            return new PgBouncer(program, postgresPort);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path users() {
        return directory.resolve("users.txt");
    }

    private Path settings() {
        return directory.resolve("pgbouncer.ini");
    }

    private ServerProcess launch() throws IOException {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("unshare", "-U")); // It refuses to run as root.
        }
        command.addAll(List.of(program.toString(), settings().toString()));
        ServerProcess launched = ServerProcess.start(command, Map.of(), directory.resolve("log"));
        launched.await(Duration.ofSeconds(60), () -> ServerProcess.takesConnections(port));
        return launched;
    }

    public int port() {
        return port;
    }

    public String url() {
        return PostgresServer.url(port);
    }

    /** Returns the version that it names, without a word before it. */
    public String version() throws IOException {
        try (PgBouncerConsole console = new PgBouncerConsole(port)) {
            return console.order("SHOW VERSION").get(0).get(0).replaceFirst("^\\D*", "");
        }
    }

    /** Returns how many clients it serves, this one not included. */
    public long clients() throws IOException {
        try (PgBouncerConsole console = new PgBouncerConsole(port)) {
            return console.order("SHOW CLIENTS").stream()
                    .filter(client -> client.get(DATABASE).equals("postgres"))
                    .count();
        }
    }

    /** Ends the connections of all clients, and its own to the server. */
    public void killSessions() throws IOException {
        try (PgBouncerConsole console = new PgBouncerConsole(port)) {
            console.order("KILL postgres");
            console.order("RESUME postgres");
        }
    }

    /** Sends a signal, as {@code kill} names it. */
    public void signal(String name) {
        process.signal(name);
    }

    public void kill() {
        process.kill();
    }

    /** Starts it again on the same port. */
    public void restart() {
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
        ServerFiles.delete(directory);
    }
}
