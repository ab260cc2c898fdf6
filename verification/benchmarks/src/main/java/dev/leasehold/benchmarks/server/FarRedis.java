package dev.leasehold.benchmarks.server;

import java.io.IOException;
import java.time.Duration;

/** A far Redis stands behind a proxy that delays what is sent, half of the distance each way. */
final class FarRedis implements StoreServer {

    private final RedisServers redis = RedisServers.single();
    private final DelayProxy proxy;

    FarRedis(Duration distance) throws IOException {
        proxy = new DelayProxy(redis.port(), distance.dividedBy(2));
    }

    @Override
    public StoreKind kind() {
        return StoreKind.REDIS;
    }

    @Override
    public String version() {
        return redis.version();
    }

    @Override
    public String uri() {
        return "redis://localhost:" + proxy.port();
    }

    @Override
    public long cpuNanos() {
        return redis.cpuNanos();
    }

    @Override
    public long requestsDuring(Task task) throws Exception {
        return redis.requestsDuring(task);
    }

    @Override
    public void close() throws IOException {
        proxy.close();
        redis.close();
    }
}
