package dev.leasehold.redis;

import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Locks in one Redis, 6.2 or newer, or Valkey: a single server, a master with
 * replicas, Sentinel, Cluster. Immutable and
 * thread-safe; may be opened by several clients.
 *
 * <pre>{@code
 * RedisClient redis = RedisClient.create();
 * Leasehold leasehold = Leasehold.builder()
 *         .store(RedisStore.using(redis, RedisURI.create("redis://cache.internal")))
 *         .build();
 * }</pre>
 *
 * <p>What one Redis promises: as long as it keeps its data and its clock does not jump, at most one holder has a lock. If
 * it forgets (a restart without persistence, a flush, a fail-over to a replica that lags), a second holder may be let in
 * beside the first; the fencing tokens still increase, as long as the server's clock is not set back at the same time.
 */
public final class RedisStore implements StoreFactory {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** How to reach the servers, once there is a client. */
    private interface Reach {
        LockOps through(RedisClient client, StoreContext context, NodeEvents events);
    }

    private final String name;
    private final @Nullable RedisClient given;
    private final Reach reach;

    private RedisStore(String name, @Nullable RedisClient given, Reach reach) {
        this.name = name;
        this.given = given;
        this.reach = reach;
    }

    /**
     * Locks in the Redis that a client was made for. The client stays the caller's: it is never closed here, only the two
     * connections that a store opens with it are.
     *
     * @param client a Lettuce client made with a URI
     * @return the store
     */
    public static RedisStore using(RedisClient client) {
        Objects.requireNonNull(client, "client");
        String name = "redis (the given client's)";
        return new RedisStore(
                name, client, (with, context, events) -> master(new ClientRoute(with, null, name), context, events));
    }

    /**
     * Locks in a Redis that a client connects to. The client stays the caller's: it is never closed here, only the two
     * connections that a store opens with it are.
     *
     * @param client a Lettuce client
     * @param uri where to connect to; may name sentinels
     * @return the store
     */
    public static RedisStore using(RedisClient client, RedisURI uri) {
        Objects.requireNonNull(client, "client");
        return one(client, Objects.requireNonNull(uri, "uri"));
    }

    /**
     * Locks in a Redis Cluster. The client stays the caller's: it is never closed here, only the connections that a store
     * opens with it are, one to each master and one to listen on.
     *
     * @param client a Lettuce client; not one for clusters, since each master gets a connection of its own
     * @param seeds some nodes of the cluster, at least one; user, password and TLS of the first are used for all
     * @return the store
     */
    public static RedisStore usingCluster(RedisClient client, List<RedisURI> seeds) {
        Objects.requireNonNull(client, "client");
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("at least one node of the cluster must be named");
        }
        return cluster(client, "redis-cluster", List.copyOf(seeds));
    }

    /** A store with a client of its own. */
    static RedisStore at(String scheme, List<RedisURI> uris) {
        if (scheme.endsWith("-cluster")) {
            return cluster(null, scheme, uris);
        }
        return uris.size() == 1 ? one(null, uris.get(0)) : replicated(scheme, uris);
    }

    private static RedisStore one(@Nullable RedisClient given, RedisURI uri) {
        String name = RedisUris.name(uri);
        return new RedisStore(
                name, given, (client, context, events) -> master(new ClientRoute(client, uri, name), context, events));
    }

    private static RedisStore replicated(String scheme, List<RedisURI> uris) {
        String name = RedisUris.name(scheme, uris);
        return new RedisStore(name, null, (client, context, events) -> {
            List<Route> servers = uris.stream()
                    .<Route>map(uri -> new ClientRoute(client, uri, RedisUris.name(uri)))
                    .toList();
            return master(new SearchRoute(name, () -> servers, true), context, events);
        });
    }

    private static RedisStore cluster(@Nullable RedisClient given, String scheme, List<RedisURI> seeds) {
        String name = RedisUris.name(scheme, seeds);
        List<SlotMap.Address> addresses = seeds.stream()
                .map(seed -> new SlotMap.Address(seed.getHost(), seed.getPort()))
                .toList();
        return new RedisStore(
                name,
                given,
                (client, context, events) -> new ClusterNodes(
                        name,
                        addresses,
                        address -> {
                            RedisURI uri = RedisURI.builder(seeds.get(0))
                                    .withHost(address.host())
                                    .withPort(address.port())
                                    .build();
                            return new ClientRoute(client, uri, RedisUris.name(uri));
                        },
                        context,
                        events));
    }

    private static LockOps master(Route route, StoreContext context, NodeEvents events) {
        Inbox inbox = new Inbox(route, context, events);
        return new RedisNode(route, context, inbox, true, events);
    }

    @Override
    public Store open(StoreContext context) {
        NodeEvents events = OpenRedisStore.events(context);
        RedisClient client = given;
        if (client != null) {
            return new OpenRedisStore(reach.through(client, context, events), context, () -> {});
        }
        Duration timeout =
                context.storeTimeout().compareTo(CONNECT_TIMEOUT) < 0 ? context.storeTimeout() : CONNECT_TIMEOUT;
        OwnClient own = new OwnClient(timeout);
        return new OpenRedisStore(reach.through(own.client(), context, events), context, own::close);
    }

    @Override
    public String toString() {
        return name;
    }
}
