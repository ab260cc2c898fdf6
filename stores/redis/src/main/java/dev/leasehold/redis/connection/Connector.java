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

    /**
     * Returns how long an attempt may last: half of the time-out, so that there is time for a second one.
     *
     * @param first whether there was no connection yet: a JVM that has just started is slow, so nearly all of the time-out
     */
    default Duration longest(Duration storeTimeout, boolean first) {
        Duration part = storeTimeout.multipliedBy(first ? 9 : 5).dividedBy(10);
        Duration most = Duration.ofSeconds(5);
        return part.compareTo(most) < 0 ? part : most;
    }

    /** Names the server in messages, without credentials. */
    @Override
    String toString();
}
