package dev.leasehold.redis.connection;

import dev.leasehold.LockException;
import dev.leasehold.internal.Causes;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * ServerMode refuses a server in cluster mode where it was not named as a cluster.
 *
 * <p>A hand-over counts who has heard of it, and takes back what nobody has heard. A node of a cluster counts only those that
 * listen at itself, yet tells all that listen anywhere in the cluster. Where one name or a balancer stands before several
 * nodes, the connection that listens may lead to another node than the one for commands; then a grant that was heard would be
 * taken back. Only {@code redis-cluster://} asks the nodes not to count.
 */
public final class ServerMode {

    private ServerMode() {}

    /** Passes a fresh connection on, unless its server is in cluster mode. A server that may not be asked is believed. */
    public static <C extends StatefulRedisConnection<String, String>> CompletionStage<C> standalone(
            C connection, String name) {
        return connection
                .async()
                .info("server")
                .exceptionallyCompose(failure -> Causes.of(failure) instanceof RedisCommandExecutionException
                        ? CompletableFuture.completedFuture("")
                        : CompletableFuture.failedFuture(failure))
                .thenApply(info -> {
                    // The second is how Valkey says it.
                    if (info.contains("redis_mode:cluster") || info.contains("server_mode:cluster")) {
                        throw new LockException(
                                name + " is a node of a Redis Cluster, and the lock was not asked for: use "
                                        + "redis-cluster:// (in code: RedisStore.usingCluster), also if there is one node "
                                        + "only; a quorum needs masters that are no cluster");
                    }
                    return connection;
                })
                .whenComplete((passed, failure) -> {
                    if (failure != null && connection.isOpen()) {
                        connection.closeAsync();
                    }
                });
    }
}
