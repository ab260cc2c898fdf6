package dev.leasehold.redis;

import dev.leasehold.LockException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * Whether a server may be used as the only one that knows a lock. A node of a cluster may not: it counts only its own
 * subscribers when a grant is published, so one that was heard through another node would be taken back as unheard.
 */
final class ServerMode {

    private static final Pattern CLUSTER = Pattern.compile("\\b(?:redis|server)_mode:cluster\\b");

    private ServerMode() {}

    /** Passes a new connection on, or closes it and fails if the server is in cluster mode. */
    static <C extends StatefulRedisConnection<String, String>> CompletionStage<C> refuseCluster(
            C connection, String name) {
        // A user without the right to ask is not refused: then what a script does after an unheard grant has to
        // suffice.
        return connection
                .async()
                .info("server")
                .handle((info, failure) -> info == null ? "" : info)
                .thenCompose(info -> {
                    if (!CLUSTER.matcher(info).find()) {
                        return CompletableFuture.completedFuture(connection);
                    }
                    connection.closeAsync();
                    return CompletableFuture.failedFuture(new LockException(name
                            + " is a node of a cluster (cluster mode is on), and cannot be used as one server: nothing was "
                            + "done. Use redis-cluster:// with its address"));
                });
    }
}
