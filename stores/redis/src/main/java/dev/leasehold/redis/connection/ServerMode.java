package dev.leasehold.redis.connection;

import dev.leasehold.LockException;
import dev.leasehold.internal.Causes;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * ServerMode refuses a server in cluster mode where it was not named as a cluster.
 *
 * <p>A hand-over counts who has heard of it, and takes back what nobody has heard. A node of a cluster counts only those that
 * listen at itself, yet tells all that listen anywhere in the cluster. Where one name or a balancer stands before several
 * nodes, the connection that listens may lead to another node than the one for commands; then a grant that was heard would be
 * taken back. Only {@code redis-cluster://} asks the nodes not to count.
 */
public final class ServerMode {

    private static final String INFO = "return redis.call('INFO', 'server')";

    /** A server answers this about scripts, or about a command that it does not have. A proxy's other errors may pass. */
    private static final Pattern FOR_GOOD = Pattern.compile("script|unknown command", Pattern.CASE_INSENSITIVE);

    private ServerMode() {}

    /**
     * Passes a fresh connection on, unless its server is in cluster mode, or does not let scripts ask for that: it would serve free locks, and
     * fail every waiter. A server that cannot answer just now is connected to again: what is believed of it lasts as long as the connection.
     */
    public static <C extends StatefulRedisConnection<String, String>> CompletionStage<C> standalone(
            C connection, String name) {
        return connection
                .async()
                .<String>eval(INFO, ScriptOutputType.VALUE)
                .exceptionally(failure -> refused(failure, name))
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

    static String refused(Throwable failure, String name) {
        if (Causes.of(failure) instanceof RedisCommandExecutionException error) {
            if (RedisFailures.code(error).equals("ERR")
                    && FOR_GOOD.matcher(String.valueOf(error.getMessage())).find()) {
                throw new LockException(
                        name
                                + " does not let scripts call INFO, without which a waiter does not know where it listens: "
                                + error.getMessage() + "; the lock was not asked for. Use another server, or allow it",
                        error);
            }
        }
        throw new CompletionException(failure);
    }
}
