package dev.leasehold.redis.connection;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
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

    /**
     * Passes a fresh connection on, if its server runs a script with two keys that no slot has both. A node of a cluster does not, nor a proxy
     * that spreads keys over several servers and calls itself one. A server that cannot answer just now is connected to again: what is
     * believed of it lasts as long as the connection.
     *
     * @param prefix of the keys, without braces: two keys that differ in their last letter alone never have the same slot
     */
    public static <C extends StatefulRedisConnection<String, String>> CompletionStage<C> standalone(
            C connection, String prefix) {
        return connection
                .async()
                .eval("return 1", ScriptOutputType.INTEGER, prefix + "1", prefix + "2")
                .thenApply(one -> connection)
                .whenComplete((passed, failure) -> {
                    if (failure != null) {
                        connection.closeAsync();
                    }
                });
    }
}
