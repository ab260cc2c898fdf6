package dev.leasehold.redis.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A connector opens connections to one server, or to whichever of several is the master now. */
public interface Connector {

    /** Opens a connection for commands. */
    CompletionStage<? extends StatefulRedisConnection<String, String>> connect();

    /** Opens a connection to listen on. */
    CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen();

    /** Returns how long an attempt may last. */
    default Duration longest(Duration storeTimeout) {
        Duration half = storeTimeout.dividedBy(2);
        Duration most = Duration.ofSeconds(5);
        return half.compareTo(most) < 0 ? half : most;
    }

    /** Names the server in messages, without credentials. */
    @Override
    String toString();
}
