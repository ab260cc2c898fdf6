package dev.leasehold.redis.connection;

import dev.leasehold.spi.StoreContext;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A connection factory makes the connections of one client over one connector, with their limits of time. */
public record ConnectionFactory(StoreContext context, Connector connector) {

    private static final Duration MOST_SILENCE = Duration.ofSeconds(2);

    /** Makes a reconnecting connection over {@code opener}. */
    public ReconnectingConnection reconnectingConnection(
            String name,
            Supplier<? extends CompletionStage<? extends StatefulRedisConnection<String, String>>> opener,
            Runnable reopened) {
        return reconnectingConnection(name, Duration.ZERO, opener, reopened);
    }

    /** Makes a reconnecting connection on which the server may take so much longer to answer. */
    public ReconnectingConnection reconnectingConnection(
            String name,
            Duration longer,
            Supplier<? extends CompletionStage<? extends StatefulRedisConnection<String, String>>> opener,
            Runnable reopened) {
        return new ReconnectingConnection(
                name,
                () -> opener.get().thenApply(connection -> connection(connection, longer)),
                context.time(),
                first -> connector.longest(context.storeTimeout(), first),
                reopened);
    }

    private RedisConnection connection(StatefulRedisConnection<String, String> connection, Duration longer) {
        Duration answerTimeout = context.storeTimeout().multipliedBy(2).dividedBy(5);
        return new RedisConnection(connection, context.time(), MOST_SILENCE.plus(longer), answerTimeout.plus(longer));
    }
}
