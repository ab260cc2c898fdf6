package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.redis.RedisStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * A Redis opening makes the store in the Redis that the application is connected to: one server, Sentinel or Cluster. Locks get
 * connections of their own.
 */
final class RedisOpening {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private RedisOpening() {}

    static StoreHandle open(DataRedisConnectionDetails connection) {
        RedisClient client = RedisClient.create();
        client.setOptions(options(connection.getSslBundle()));
        try {
            RedisStore store = store(client, connection);
            return new StoreHandle(builder -> builder.store(store), client::shutdown);
        } catch (RuntimeException e) {
            client.shutdown();
            throw e;
        }
    }

    private static ClientOptions options(@Nullable SslBundle bundle) {
        ClientOptions.Builder options = ClientOptions.builder()
                .socketOptions(
                        SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).build());
        if (bundle != null) {
            SslOptions.Builder ssl = SslOptions.builder()
                    .keyManager(bundle.getManagers().getKeyManagerFactory())
                    .trustManager(bundle.getManagers().getTrustManagerFactory());
            if (bundle.getOptions().getCiphers() != null) {
                ssl.cipherSuites(bundle.getOptions().getCiphers());
            }
            if (bundle.getOptions().getEnabledProtocols() != null) {
                ssl.protocols(bundle.getOptions().getEnabledProtocols());
            }
            options.sslOptions(ssl.build());
        }
        return options.build();
    }

    private static RedisStore store(RedisClient client, DataRedisConnectionDetails connection) {
        DataRedisConnectionDetails.Cluster cluster = connection.getCluster();
        if (cluster != null) {
            return RedisStore.usingCluster(
                    client,
                    cluster.getNodes().stream()
                            .map(node -> secured(connection, RedisURI.Builder.redis(node.host(), node.port())))
                            .toList());
        }
        DataRedisConnectionDetails.Sentinel sentinel = connection.getSentinel();
        if (sentinel != null) {
            return RedisStore.using(client, sentinels(connection, sentinel));
        }
        DataRedisConnectionDetails.Standalone one = connection.getStandalone();
        if (one == null) {
            throw new LeaseholdStartException(
                    "The application's Redis is neither one server nor Sentinel nor Cluster.",
                    "Set leasehold.store.uri=redis://HOST1,HOST2 for a master with replicas.",
                    null);
        }
        return RedisStore.using(
                client,
                secured(
                        connection,
                        RedisURI.Builder.redis(one.getHost(), one.getPort()).withDatabase(one.getDatabase())));
    }

    private static RedisURI sentinels(
            DataRedisConnectionDetails connection, DataRedisConnectionDetails.Sentinel sentinel) {
        RedisURI.Builder builder =
                RedisURI.builder().withSentinelMasterId(sentinel.getMaster()).withDatabase(sentinel.getDatabase());
        for (DataRedisConnectionDetails.Node node : sentinel.getNodes()) {
            RedisURI.Builder one = RedisURI.Builder.redis(node.host(), node.port());
            authenticate(one, sentinel.getUsername(), sentinel.getPassword());
            builder.withSentinel(one.build());
        }
        return secured(connection, builder);
    }

    private static RedisURI secured(DataRedisConnectionDetails connection, RedisURI.Builder builder) {
        authenticate(builder, connection.getUsername(), connection.getPassword());
        if (connection.getSslBundle() != null) {
            builder.withSsl(true);
        }
        return builder.build();
    }

    private static void authenticate(RedisURI.Builder builder, @Nullable String user, @Nullable String password) {
        if (!StringUtils.hasLength(password)) {
            return;
        }
        if (StringUtils.hasLength(user)) {
            builder.withAuthentication(user, password.toCharArray());
        } else {
            builder.withPassword(password.toCharArray());
        }
    }
}
