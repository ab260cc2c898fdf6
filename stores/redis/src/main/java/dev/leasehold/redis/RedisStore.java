package dev.leasehold.redis;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.OwnClient;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.SearchingConnector.Patience;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.connection.UriConnector;
import dev.leasehold.redis.doctor.Deployment;
import dev.leasehold.redis.doctor.Doctor;
import dev.leasehold.redis.doctor.NodeFacts;
import dev.leasehold.redis.doctor.PersistenceFindings;
import dev.leasehold.redis.doctor.ReplicaFindings;
import dev.leasehold.redis.node.ClusterNodes;
import dev.leasehold.redis.node.Inbox;
import dev.leasehold.redis.node.LockCommands;
import dev.leasehold.redis.node.NodeListener;
import dev.leasehold.redis.node.OpenRedisStore;
import dev.leasehold.redis.node.RedisNode;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.node.SlotMap;
import dev.leasehold.redis.quorum.QuorumSharing;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.spi.Sharing;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Trial;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Redis store keeps locks in one Redis, 6.2 or newer, or Valkey: a single server, a master with replicas, Sentinel,
 * Cluster. Immutable and thread-safe; may be opened by several clients.
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

    private static final Duration EXAMINED_CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** A reach makes the connector to the servers, once there is a client. */
    private interface Reach {
        LockCommands through(RedisClient client, StoreContext context, RedisSettings settings, NodeListener listener);
    }

    private final String name;
    private final @Nullable RedisClient given;
    private final Deployment deployment;
    private final Reach reach;
    private final RedisSettings settings;
    private final Tls tls;

    private RedisStore(String name, @Nullable RedisClient given, Deployment deployment, Reach reach) {
        this(name, given, deployment, reach, RedisSettings.DEFAULTS, Tls.OF_THE_JVM);
    }

    private RedisStore(
            String name,
            @Nullable RedisClient given,
            Deployment deployment,
            Reach reach,
            RedisSettings settings,
            Tls tls) {
        this.name = name;
        this.given = given;
        this.deployment = deployment;
        this.reach = reach;
        this.settings = settings;
        this.tls = tls;
    }

    /**
     * Makes a store of locks in the Redis that a client was made for. The client stays the caller's: it is never closed
     * here, only the two connections that a store opens with it are. On its threads only the asynchronous methods of a
     * lock may be called: one that blocks may wait for an answer that the same thread would have to read.
     *
     * @param client a Lettuce client made with a URI
     * @return the store
     */
    public static RedisStore using(RedisClient client) {
        Objects.requireNonNull(client, "client");
        String name = "redis (the given client's)";
        return ofMaster(name, client, List.of());
    }

    /**
     * Makes a store of locks in a Redis that a client connects to. The client stays the caller's: it is never closed
     * here, only the two connections that a store opens with it are. What {@link #using(RedisClient)} says of its
     * threads holds here, too.
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
     * Makes a store of locks in a Redis Cluster. The client stays the caller's: it is never closed here, only the
     * connections that a store opens with it are, one to each master and one to listen on.
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

    /**
     * Returns this store with locks whose key in Redis is their bare name: they are shared with every client, in any
     * language, that locks by {@code SET name value NX PX milliseconds} and releases by comparing the value and deleting the
     * key. In a URI: {@code leasehold.keys=plain}.
     *
     * <p>Exclusion holds both ways. Order of service and fencing tokens hold among Leasehold's clients alone: others do not
     * queue, and their holds take no token. The first in the queue polls for their release, and finds it
     * at most 100 ms late. A key without an end counts as held for ever; a key of another type makes a claim fail with a {@link
     * dev.leasehold.LockException}. Other clients' leases are shown as such, without their value, by {@link
     * dev.leasehold.Leasehold#locks} when the name is asked for literally or has been used by Leasehold within two days; and
     * they cannot be broken, because no token names them.
     *
     * <p>All clients of Leasehold that share a lock must use this, or none. Not with a namespace; not for names that begin
     * with {@code leasehold:}, nor, in a cluster, for names with braces.
     *
     * @return the changed copy
     */
    public RedisStore withPlainKeys() {
        return new RedisStore(name, given, deployment, reach, settings.withPlainKeys(), tls);
    }

    /**
     * Returns this store with keys and channels that begin otherwise, as platforms demand it that give each tenant a prefix. In
     * a URI: {@code leasehold.keyPrefix=tenant7:}. Clients with different prefixes share no locks.
     *
     * @param prefix takes the place of {@code leasehold:}; 1 to 200 letters, digits or characters of {@code ._:/-}
     * @return the changed copy
     * @throws IllegalArgumentException if it has others
     */
    public RedisStore withKeyPrefix(String prefix) {
        return new RedisStore(name, given, deployment, reach, settings.withKeyPrefix(prefix), tls);
    }

    /**
     * Returns this store with another time for which it remembers the last fencing token of a lock that nobody uses. In a URI:
     * {@code leasehold.tokenLife=6h}.
     *
     * <p>A lock that was used once leaves some 150 bytes for so long. Less suits names that are used once, by the million. After it
     * the next token is the time of the server's clock: tokens increase all the same, unless the clock was set back by
     * more than has passed since the last grant. All clients should have the same; the shortest counts.
     *
     * @param life a minute to a year; two days unless it is changed, which covers a clock that is set by a time zone, there and back
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedisStore withTokenLife(Duration life) {
        return new RedisStore(name, given, deployment, reach, settings.withTokenLife(life), tls);
    }

    /**
     * Returns this store with leases that count only when replicas have them: a grant, a hand-over, or a renewal that has
     * not been acknowledged by so many replicas in time is treated as not answered. In a URI: {@code
     * leasehold.waitForReplicas=1&leasehold.waitTimeout=500} (milliseconds).
     *
     * <p>Where acknowledgements are missing, a claim is repeated for up to the {@code storeTimeout}, then fails with a
     * {@link dev.leasehold.StoreUnavailableException} that says so, and everything that it has left is withdrawn; a
     * renewal does not move the deadline, so a lease without replicas is lost in time.
     *
     * <p>This protects from a fail-over to a replica that lags behind, if the replica that is promoted is one of those that have
     * acknowledged: with as many as there are replicas, always; with fewer, only where the most advanced one is chosen, as
     * Sentinel and Cluster try to do. It does not make Redis a consensus system: a replica that acknowledges and then
     * restarts without its data, or a master that comes back empty before it is replaced, forgets all the same, and so
     * may a fail-over by hand. Fencing tokens hold in any case.
     *
     * <p>Costs a second round trip, which waits for the replicas, on a connection of its own: requests that do
     * not wait for replicas are not delayed, and many that do share one wait.
     *
     * @param replicas how many replicas, at least 1; 0 for none
     * @param timeout how long to wait for them, 1 ms or more, at most a quarter of the client's {@code storeTimeout}
     * @return the changed copy
     * @throws IllegalArgumentException if one is out of range
     */
    public RedisStore withWaitForReplicas(int replicas, Duration timeout) {
        return new RedisStore(name, given, deployment, reach, settings.withReplicas(replicas, timeout), tls);
    }

    /** Makes a store with a client of its own. */
    static RedisStore at(String scheme, List<RedisURI> uris, RedisSettings settings, Tls tls) {
        RedisStore store = scheme.endsWith("-cluster")
                ? cluster(null, scheme, uris)
                : uris.size() == 1 ? one(null, uris.get(0)) : ofMaster(RedisUris.name(scheme, uris), null, uris);
        return new RedisStore(store.name, null, store.deployment, store.reach, settings, tls);
    }

    private static RedisStore one(@Nullable RedisClient given, RedisURI uri) {
        return ofMaster(RedisUris.name(uri), given, List.of(uri));
    }

    private static RedisStore ofMaster(String name, @Nullable RedisClient given, List<RedisURI> uris) {
        Deployment deployment = new Deployment(List.copyOf(uris), false);
        return new RedisStore(
                name,
                given,
                deployment,
                (client, context, settings, listener) -> master(
                        deployment.first(client, name, context.time(), Patience.within(context.storeTimeout())),
                        context,
                        settings,
                        listener));
    }

    private static RedisStore cluster(@Nullable RedisClient given, String scheme, List<RedisURI> seeds) {
        String name = RedisUris.name(scheme, seeds);
        List<SlotMap.Address> addresses = seeds.stream()
                .map(seed -> new SlotMap.Address(seed.getHost(), seed.getPort()))
                .toList();
        return new RedisStore(
                name,
                given,
                new Deployment(List.copyOf(seeds), true),
                (client, context, settings, listener) -> new ClusterNodes(
                        name,
                        addresses,
                        address -> {
                            RedisURI uri = RedisURI.builder(seeds.get(0))
                                    .withHost(address.host())
                                    .withPort(address.port())
                                    .build();
                            return new UriConnector(client, uri, RedisUris.name(uri));
                        },
                        context,
                        settings,
                        listener));
    }

    private static LockCommands master(
            Connector connector, StoreContext context, RedisSettings settings, NodeListener listener) {
        KeyNames names = settings.names(context, false);
        Inbox inbox = new Inbox(connector, context, names, settings.replicas() == 0, listener);
        return new RedisNode(connector, context, settings, names, inbox, true, listener);
    }

    @Override
    public Store open(StoreContext context) {
        String refusal = settings.refusal(context);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        RedisClient client = given;
        NodeListener listener = OpenRedisStore.listener(context);
        if (client != null) {
            return new OpenRedisStore(reach.through(client, context, settings, listener), context, sharing(), () -> {});
        }
        // A sentinel and its master are two, and an attempt may last half of the time-out.
        OwnClient own = new OwnClient(Patience.within(context.storeTimeout()).first(), tls);
        return new OpenRedisStore(
                reach.through(own.client(), context, settings, listener), context, sharing(), own::close);
    }

    private Sharing sharing() {
        return settings.plainKeys() ? QuorumSharing.PLAIN_KEYS : Sharing.all();
    }

    @Override
    public Examination examine(StoreContext context) throws InterruptedException {
        Duration timeout = context.storeTimeout().compareTo(EXAMINED_CONNECT_TIMEOUT) < 0
                ? context.storeTimeout()
                : EXAMINED_CONNECT_TIMEOUT;
        OwnClient own = given == null ? new OwnClient(timeout, tls) : null;
        RedisClient client = own == null ? Objects.requireNonNull(given) : own.client();
        List<Finding> findings;
        try {
            findings = new Doctor(name, deployment, settings, context, client, timeout, this::owed).examine();
        } finally {
            if (own != null) {
                own.close();
            }
        }
        findings.add(Trial.of(this, context));
        return new Examination(findings);
    }

    private List<Finding> owed(NodeFacts master) {
        List<Finding> owed = new ArrayList<>(PersistenceFindings.of(master));
        owed.addAll(ReplicaFindings.of(master, settings));
        return owed;
    }

    @Override
    public String kind() {
        return "redis";
    }

    @Override
    public String toString() {
        return name;
    }
}
