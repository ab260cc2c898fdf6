package dev.leasehold.battery;

import dev.leasehold.redis.RedlockStore;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.FaultProxy;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The Redis under test is one server, or a quorum of several. Each writes what it does to its append-only file before it
 * answers.
 */
final class RedisUnderTest implements StoreUnderTest {

    /** The longest lease of a quorum, for which masters that have forgotten have no vote. */
    private static final Duration LONGEST = Duration.ofSeconds(4);

    /** On a busy machine a process does not run for longer than the 50 ms that are waited by default. */
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(200);

    private final List<RedisProcess> masters = new ArrayList<>();
    private final List<ClockShim> clocks = new ArrayList<>();
    private final boolean quorum;

    private RedisUnderTest(int count, boolean quorum, Path directory, Fault fault) throws IOException {
        this.quorum = quorum;
        for (int i = 0; i < count; i++) {
            Map<String, String> environment = Map.of();
            if (fault.movesServerClock()) {
                clocks.add(ClockShim.create(directory.resolve("server-" + i + ".clock")));
                environment = clocks.get(i).environment();
            }
            masters.add(RedisProcess.start(
                    RedisProcess.Version.V7_0,
                    Ports.next(),
                    List.of("--appendonly", "yes", "--appendfsync", "always"),
                    environment));
        }
        masters.forEach(RedisProcess::warm);
        if (!clocks.isEmpty()) {
            tryClock();
        }
    }

    /**
     * Checks that the shim moves the clock of a server. The servers that Maven brings are statically linked, and no
     * library is loaded before them.
     */
    private void tryClock() throws IOException {
        RedisCommands<String, String> commands = masters.get(0).commands();
        long before = Long.parseLong(commands.time().get(0));
        clocks.get(0).moveWall(3_600_000_000L);
        long after = Long.parseLong(commands.time().get(0));
        clocks.get(0).moveWall(-3_600_000_000L);
        if (after < before + 3_600) {
            close();
            throw new Missing(
                    "this redis-server is statically linked, so that its clock cannot be set: name another one in "
                            + "LEASEHOLD_TEST_REDIS");
        }
    }

    static StoreUnderTest one(Path directory, Fault fault) throws IOException {
        return new RedisUnderTest(1, false, directory, fault);
    }

    static StoreUnderTest quorum(int count, Path directory, Fault fault) throws IOException {
        RedisUnderTest store = new RedisUnderTest(count, true, directory, fault);
        RedlockStore.of(store.masters.stream()
                        .map(master -> RedisURI.create(master.uri()))
                        .toList())
                .withMaxLease(LONGEST)
                .initialize();
        return store;
    }

    @Override
    public Way way() {
        List<FaultProxy> proxies =
                masters.stream().map(master -> FaultProxy.to(master.port())).toList();
        return new Way(uri(proxies.stream().map(FaultProxy::port).toList()), proxies);
    }

    @Override
    public String uri() {
        return uri(masters.stream().map(RedisProcess::port).toList());
    }

    private String uri(List<Integer> ports) {
        String hosts = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        return quorum
                ? "redlock://" + hosts + "?leasehold.maxLeaseDuration=" + LONGEST.toMillis()
                        + "ms&leasehold.nodeTimeout=" + NODE_TIMEOUT.toMillis() + "ms"
                : "redis://" + hosts;
    }

    @Override
    public String version() {
        return version(masters.get(0));
    }

    /** Returns the version that the server names, with its name if it is no Redis. */
    static String version(RedisProcess server) {
        return versionIn(server.commands().info("server"));
    }

    /** Returns the version in the answer to INFO. That of a Valkey also has the version of Redis that it is like. */
    static String versionIn(String info) {
        return entry(info, "server_name")
                .filter(name -> !name.equals("redis"))
                .map(name -> name + " " + entry(info, name + "_version").orElse("?"))
                .or(() -> entry(info, "redis_version"))
                .orElse("?");
    }

    private static Optional<String> entry(String info, String key) {
        return info.lines()
                .filter(line -> line.startsWith(key + ":"))
                .map(line -> line.substring(key.length() + 1).strip())
                .findFirst();
    }

    @Override
    public int servers() {
        return masters.size();
    }

    @Override
    public void signal(int server, String signal) {
        masters.get(server).signal(signal);
    }

    @Override
    public void kill(int server) {
        masters.get(server).kill();
    }

    @Override
    public void restart(int server, boolean withData) {
        RedisProcess master = masters.get(server);
        if (!withData) {
            delete(master.directory().resolve("appendonlydir"));
        }
        master.restart();
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void flush(int server) {
        masters.get(server).commands().flushall();
    }

    @Override
    public void moveClock(int server, Duration by) throws IOException {
        clocks.get(server).moveWall(by.toNanos() / 1_000);
    }

    @Override
    public void killSessions(int server) {
        killSessions(masters.get(server));
    }

    /** Ends all connections but the one that asks for it. */
    static void killSessions(RedisProcess server) {
        server.commands().clientKill(KillArgs.Builder.typeNormal().skipme(true));
        server.commands().clientKill(KillArgs.Builder.typePubsub());
    }

    @Override
    public Map<String, Long> gauges() {
        return gauges(masters);
    }

    /** Returns the sums over some servers, without the connection that asks. */
    static Map<String, Long> gauges(List<RedisProcess> servers) {
        Map<String, Long> gauges = new LinkedHashMap<>();
        for (RedisProcess server : servers) {
            RedisCommands<String, String> commands = server.commands();
            gauges.merge("connections", commands.clientList().lines().count() - 1, Long::sum);
            gauges.merge("channels", (long) commands.pubsubChannels().size(), Long::sum);
            gauges.merge("keys", commands.dbsize(), Long::sum);
        }
        return gauges;
    }

    @Override
    public int overtaking() {
        return quorum ? 32 : 16;
    }

    @Override
    public void close() {
        masters.forEach(RedisProcess::close);
    }
}
