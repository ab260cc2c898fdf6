package dev.leasehold.benchmarks.server;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Running servers are those of a run, each started when it is first asked for, and all of them ended with the run. */
public final class RunningServers implements AutoCloseable {

    private record Key(StoreKind kind, Duration distance) {}

    private final Map<Key, StoreServer> started = new LinkedHashMap<>();

    /**
     * Returns the server of a kind.
     *
     * @param distance how long a request and its answer are on their way, zero for the loopback; only Redis can be far away
     */
    public StoreServer of(StoreKind kind, Duration distance) throws Exception {
        Key key = new Key(kind, distance);
        StoreServer server = started.get(key);
        if (server == null) {
            server = start(kind, distance);
            started.put(key, server);
        }
        return server;
    }

    private static StoreServer start(StoreKind kind, Duration distance) throws Exception {
        return switch (kind) {
            case REDIS -> distance.isZero() ? RedisServers.single() : new FarRedis(distance);
            case QUORUM -> RedisServers.quorum();
            case POSTGRES -> SqlServers.postgres();
            case MARIADB -> SqlServers.mariaDb();
            case ZOOKEEPER -> new ZooKeeperServer();
            case SQLITE -> new SqliteFile();
        };
    }

    /** Ends the servers of other kinds, which keep a processor busy at times even if nobody asks them. */
    public void closeExcept(StoreKind... kept) throws Exception {
        for (Key key : List.copyOf(started.keySet())) {
            if (!List.of(kept).contains(key.kind())) {
                StoreServer server = started.remove(key);
                if (server != null) {
                    server.close();
                }
            }
        }
    }

    @Override
    public void close() throws Exception {
        closeExcept();
    }
}
