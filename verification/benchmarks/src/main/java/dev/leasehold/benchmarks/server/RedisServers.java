package dev.leasehold.benchmarks.server;

import dev.leasehold.redis.RedlockStore;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Redis servers are one Redis, or independent masters opened as a quorum. Requests are counted at the first. */
final class RedisServers implements StoreServer {

    private static final Pattern PID = Pattern.compile("process_id:(\\d+)");
    private static final Pattern VERSION = Pattern.compile("redis_version:([\\d.]+)");

    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<Long> pids = new ArrayList<>();

    private RedisServers() {}

    static RedisServers single() {
        return started(1);
    }

    static RedisServers quorum() {
        RedisServers masters = started(5);
        RedlockStore.of(masters.servers.stream()
                        .map(server -> RedisURI.create(server.uri()))
                        .toList())
                .initialize();
        return masters;
    }

    private static RedisServers started(int count) {
        RedisServers started = new RedisServers();
        for (int i = 0; i < count; i++) {
            RedisProcess server = RedisProcess.start().warm();
            started.servers.add(server);
            Matcher pid = PID.matcher(server.commands().info("server"));
            started.pids.add(pid.find() ? Long.parseLong(pid.group(1)) : -1);
        }
        return started;
    }

    int port() {
        return servers.get(0).port();
    }

    @Override
    public StoreKind kind() {
        return servers.size() == 1 ? StoreKind.REDIS : StoreKind.QUORUM;
    }

    @Override
    public String version() {
        Matcher version = VERSION.matcher(servers.get(0).commands().info("server"));
        return version.find() ? "Redis " + version.group(1) : "Redis";
    }

    @Override
    public String uri() {
        return servers.size() == 1
                ? servers.get(0).uri()
                : servers.stream()
                        .map(server -> "localhost:" + server.port())
                        .collect(Collectors.joining(",", "redlock://", ""));
    }

    @Override
    public long cpuNanos() {
        return pids.stream().mapToLong(ProcessTime::withDescendants).sum();
    }

    @Override
    public long requestsDuring(Task task) throws Exception {
        return RedisMonitor.commandsDuring(servers.get(0), task);
    }

    @Override
    public Optional<Leftovers> leftovers(String lock) {
        RedisCommands<String, String> redis = servers.get(0).commands();
        int entries = 0;
        int endless = 0;
        ScanCursor cursor = ScanCursor.INITIAL;
        do {
            KeyScanCursor<String> found = redis.scan(
                    cursor, ScanArgs.Builder.matches("*" + lock + "*").limit(1_000));
            for (String key : found.getKeys()) {
                entries++;
                endless += redis.pttl(key) == -1 ? 1 : 0;
            }
            cursor = found;
        } while (!cursor.isFinished());
        return Optional.of(new Leftovers(entries, endless));
    }

    @Override
    public void close() {
        servers.forEach(RedisProcess::close);
    }
}
