package dev.leasehold.benchmarks.peer;

import java.net.URI;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring makes connections as the framework does, over Lettuce. */
public final class Spring implements AutoCloseable {

    private final LettuceConnectionFactory connections;

    public Spring(String redisUri) {
        URI uri = URI.create(redisUri);
        connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
    }

    public RedisConnectionFactory connections() {
        return connections;
    }

    @Override
    public void close() {
        connections.destroy();
    }
}
