package dev.leasehold.redis;

import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.util.Set;

/**
 * The Redis store provider makes stores from URIs: {@code redis://}, {@code redis-sentinel://}, {@code redis-cluster://},
 * and with TLS {@code rediss://}, {@code rediss-sentinel://}, {@code rediss-cluster://}; and stores of several independent
 * masters: {@code redlock://}, with TLS {@code redlocks://}.
 */
public final class RedisStoreProvider implements StoreProvider {

    /** Makes the provider, for {@link java.util.ServiceLoader}. */
    public RedisStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(
                "redis",
                "rediss",
                "redis-sentinel",
                "rediss-sentinel",
                "redis-cluster",
                "rediss-cluster",
                "redlock",
                "redlocks");
    }

    @Override
    public StoreFactory create(StoreUri uri) {
        if (uri.scheme().startsWith("redlock")) {
            return RedlockStore.at(RedisUris.readQuorum(uri), RedlockOptions.read(uri), Tls.read(uri));
        }
        return RedisStore.at(uri.scheme(), RedisUris.read(uri), RedisSettings.read(uri), Tls.read(uri));
    }
}
