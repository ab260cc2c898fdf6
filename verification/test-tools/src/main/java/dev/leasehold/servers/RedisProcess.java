package dev.leasehold.servers;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A Redis process is a real server, without persistence unless told otherwise. */
public final class RedisProcess implements AutoCloseable {

    public enum Version {
        V7_0("7.0"),
        V6_2("6.2");

        private final String number;

        Version(String number) {
            this.number = number;
        }
    }

    private final Version version;
    private final int port;
    private final List<String> options;
    private final Map<String, String> environment;
    private final Path directory;
    private final RedisClient client;
    private ServerProcess process;
    private RedisCommands<String, String> commands;
    private RedisSentinelCommands<String, String> sentinel;

    private RedisProcess(Version version, int port, List<String> options, Map<String, String> environment)
            throws IOException {
        this.version = version;
        this.port = port;
        this.options = options;
        this.environment = environment;
        directory = Files.createTempDirectory("leasehold-redis-");
        process = launch();
        client = RedisClient.create("redis://localhost:" + port);
    }

    /** Starts the version that most tests take. */
    public static RedisProcess start(String... options) {
        return start(Version.V7_0, options);
    }

    public static RedisProcess start(Version version, String... options) {
        return start(version, Ports.next(), options);
    }

    public static RedisProcess start(Version version, int port, String... options) {
        return start(version, port, List.of(options), Map.of());
    }

    /** Starts a server whose environment has these variables beside those of this JVM. */
    public static RedisProcess start(Version version, int port, List<String> options, Map<String, String> environment) {
        try {
            return new RedisProcess(version, port, options, environment);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a Sentinel of quorum one that watches a master by the name {@code main}. */
    public static RedisProcess sentinel(int master) {
        return sentinel("127.0.0.1 " + master, List.of());
    }

    /**
     * Starts one with more settings.
     *
     * @param master host and port
     */
    public static RedisProcess sentinel(String master, List<String> settings) {
        try {
            int port = Ports.next();
            Path config = Files.createTempFile("leasehold-sentinel-", ".conf");
            Files.writeString(
                    config,
                    "port " + port + "\n" + String.join("\n", settings) + "\nsentinel monitor main " + master + " 1\n"
                            + "sentinel down-after-milliseconds main 1000\nsentinel failover-timeout main 5000\n");
            return new RedisProcess(Version.V7_0, port, List.of(config.toString(), "--sentinel"), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a connection of the test's own to a Sentinel. */
    RedisSentinelCommands<String, String> sentinel() {
        if (sentinel == null) {
            sentinel = client.connectSentinel(RedisURI.create(uri())).sync();
        }
        return sentinel;
    }

    public boolean sentinelKnowsReplica() {
        try (java.net.Socket socket = ServerProcess.connect(port)) {
            socket.getOutputStream().write("INFO sentinel\r\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            byte[] answer = new byte[4096];
            int read = socket.getInputStream().read(answer);
            return new String(answer, 0, read, java.nio.charset.StandardCharsets.UTF_8).contains("slaves=1");
        } catch (IOException e) {
            return false;
        }
    }

    public int busPort() {
        return Integer.parseInt(options.get(options.indexOf("--cluster-port") + 1));
    }

    public String uri() {
        return "redis://localhost:" + port;
    }

    public int port() {
        return port;
    }

    public Path directory() {
        return directory;
    }

    /** Opens a connection of the test's own. */
    public RedisCommands<String, String> commands() {
        if (commands == null) {
            commands = client.connect().sync();
        }
        return commands;
    }

    /** Loads Lettuce by a first question, for on a busy machine that takes longer than a connection may. */
    public RedisProcess warm() {
        commands().ping();
        return this;
    }

    /** Sends a signal, as {@code kill} names it. */
    public void signal(String signal) {
        process.signal(signal);
    }

    /** Kills the server; what it has not written to disk is gone. */
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

    private ServerProcess launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                binary(version).toString(),
                "--port",
                Integer.toString(port),
                "--dir",
                directory.toString(),
                "--logfile",
                directory.resolve("redis.log").toString(),
                "--save",
                "",
                "--appendonly",
                "no",
                "--enable-debug-command",
                "yes"));
        if (version == Version.V6_2) {
            command.subList(command.size() - 2, command.size()).clear();
        }
        if (options.contains("--sentinel")) {
            command = new ArrayList<>(List.of(binary(version).toString()));
        }
        command.addAll(options);
        ServerProcess launched = ServerProcess.start(command, environment, directory.resolve("stdout.log"));
        launched.await(Duration.ofSeconds(60), () -> ServerProcess.takesConnections(port));
        return launched;
    }

    /** Another server may be named, a Valkey, say, to be used in place of 7.0. */
    private static Path binary(Version version) throws IOException {
        String other = System.getenv("LEASEHOLD_TEST_REDIS");
        if (other != null && version == Version.V7_0) {
            return Path.of(other);
        }
        String os =
                System.getProperty("os.name").toLowerCase(java.util.Locale.ROOT).contains("mac") ? "darwin" : "linux";
        boolean arm = System.getProperty("os.arch").contains("aarch64");
        try (Stream<Path> files = Files.list(ServerFiles.besideClasses("redis-servers"))) {
            Path binary = files.filter(
                            file -> file.getFileName().toString().startsWith("redis-server-" + version.number))
                    .filter(file -> file.toString().contains(os))
                    .filter(file -> arm
                            ? file.toString().endsWith("arm64")
                            : file.toString().matches(".*(amd64|x86_64)"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no Redis " + version.number + " for this machine"));
            binary.toFile().setExecutable(true);
            return binary.toAbsolutePath();
        }
    }

    public StatefulRedisConnection<String, String> connect() {
        return client.connect();
    }

    @Override
    public void close() {
        client.shutdown();
        kill();
        ServerFiles.delete(directory);
    }
}
