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
 * A PgPool is a real pgpool-II before a {@link PostgresServer}, and before that one's replicas, which all reads outside of
 * transactions are sent to. Its program is the one that {@link #VARIABLE} names: Maven Central has none.
 */
public final class PgPool implements AutoCloseable {

    /** The environment variable that names the program. */
    public static final String VARIABLE = "LEASEHOLD_TEST_PGPOOL";

    /** How many clients it serves at a time, each by a process that keeps its session with the server for the next one. */
    public static final int CLIENTS = 24;

    private final Path directory;
    private final int port;
    private final ServerProcess process;

    private PgPool(Path program, List<Integer> postgresPorts) throws IOException {
        port = Ports.next();
        directory = Files.createTempDirectory("leasehold-pgpool-");
        Path settings = directory.resolve("pgpool.conf");
        Files.write(settings, settings(postgresPorts));
        Files.writeString(directory.resolve("pcp.conf"), "");
        List<String> command = List.of(
                program.toString(),
                "-n",
                "-D",
                "-f",
                settings.toString(),
                "-F",
                directory.resolve("pcp.conf").toString());
        process = ServerProcess.start(command, Map.of(), directory.resolve("log"));
        process.await(Duration.ofSeconds(60), () -> ServerProcess.takesConnections(port));
    }

    private List<String> settings(List<Integer> postgresPorts) {
        List<String> settings = new ArrayList<>(List.of(
                "backend_clustering_mode = 'streaming_replication'",
                "listen_addresses = '127.0.0.1'",
                "port = " + port,
                "pcp_listen_addresses = ''",
                "pcp_port = " + Ports.next(),
                "socket_dir = '" + directory + "'",
                "pcp_socket_dir = '" + directory + "'",
                "wd_ipc_socket_dir = '" + directory + "'",
                "pid_file_name = '" + directory.resolve("pid") + "'",
                "logdir = '" + directory + "'",
                "num_init_children = " + CLIENTS,
                "sr_check_user = 'postgres'",
                "sr_check_period = 1"));
        for (int i = 0; i < postgresPorts.size(); i++) {
            settings.addAll(List.of(
                    "backend_hostname" + i + " = '127.0.0.1'",
                    "backend_port" + i + " = " + postgresPorts.get(i),
                    "backend_weight" + i + " = " + (i == 0 && postgresPorts.size() > 1 ? 0 : 1),
                    "backend_flag" + i + " = 'DISALLOW_TO_FAILOVER'"));
        }
        return settings;
    }

    /** Returns the program that the environment names, if there is one. */
    public static Optional<Path> program() {
        return Optional.ofNullable(System.getenv(VARIABLE)).map(Path::of);
    }

    /**
     * Starts it, with the settings that it has by default.
     *
     * @param program see {@link #program()}
     * @param postgresPorts of the primary and of its replicas
     */
    public static PgPool start(Path program, List<Integer> postgresPorts) {
        try {
            return new PgPool(program, postgresPorts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public String url() {
        return PostgresServer.url(port);
    }

    @Override
    public void close() {
        process.killAll();
        ServerFiles.delete(directory);
    }
}
