package dev.leasehold.battery;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** SpringRedis makes connections to Redis as Spring does, over Lettuce. */
final class SpringRedis {

    private SpringRedis() {}

    static LettuceConnectionFactory connections(String server) {
        int colon = server.indexOf(':');
        LettuceConnectionFactory connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(
                server.substring(0, colon), Integer.parseInt(server.substring(colon + 1))));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }
}
