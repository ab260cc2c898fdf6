package dev.leasehold.redis.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/** A connector opens connections to one server, or to whichever of several is the master now. */
public interface Connector {

    /** Opens a connection for commands. */
    CompletionStage<? extends StatefulRedisConnection<String, String>> connect();

    /** Opens a connection to listen on. */
    CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen();

    /** Names the server in messages, without credentials. */
    @Override
    String toString();
}
