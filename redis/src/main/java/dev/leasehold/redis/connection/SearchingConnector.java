package dev.leasehold.redis.connection;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A searching connector tries several servers in turn and takes the first that will do.
 *
 * @param servers which, at the moment
 * @param masterOnly whether it has to say that it is a master: for a replicated Redis without Sentinel; else any will do
 */
public record SearchingConnector(String name, Supplier<List<Connector>> servers, boolean masterOnly)
        implements Connector {

    @Override
    public CompletionStage<? extends StatefulRedisConnection<String, String>> connect() {
        return search(servers.get(), 0, null, Connector::connect);
    }

    @Override
    public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
        return search(servers.get(), 0, null, Connector::listen);
    }

    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> search(
            List<Connector> from,
            int index,
            @Nullable Throwable last,
            Function<Connector, CompletionStage<? extends C>> open) {
        if (index == from.size()) {
            return CompletableFuture.failedFuture(
                    last != null ? last : new RedisException("none of " + name + " is a master at the moment"));
        }
        CompletableFuture<C> found = new CompletableFuture<>();
        open.apply(from.get(index)).whenComplete((connection, failure) -> {
            if (failure != null) {
                pass(search(from, index + 1, failure, open), found);
            } else if (!masterOnly) {
                found.complete(connection);
            } else {
                connection.async().role().whenComplete((role, unknown) -> {
                    if (unknown == null && !role.isEmpty() && "master".equals(String.valueOf(role.get(0)))) {
                        found.complete(connection);
                    } else {
                        connection.closeAsync();
                        pass(search(from, index + 1, unknown == null ? last : unknown, open), found);
                    }
                });
            }
        });
        return found;
    }

    private static <C> void pass(CompletionStage<C> from, CompletableFuture<C> to) {
        from.whenComplete((connection, failure) -> {
            if (failure != null) {
                to.completeExceptionally(failure);
            } else {
                to.complete(connection);
            }
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
