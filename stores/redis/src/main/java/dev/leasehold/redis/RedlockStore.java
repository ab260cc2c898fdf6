package dev.leasehold.redis;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.internal.RequestHorizon;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.OwnClient;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.connection.UriConnector;
import dev.leasehold.redis.node.Inbox;
import dev.leasehold.redis.node.NodeListener;
import dev.leasehold.redis.node.RedisNode;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.quorum.Quorum;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.redis.quorum.QuorumSharing;
import dev.leasehold.redis.quorum.QuorumStore;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.voter.BallotEncoder;
import dev.leasehold.redis.voter.RedisVoter;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Trial;
import dev.leasehold.spi.Validity;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Redlock store keeps locks on several independent Redis masters, 6.2 or newer, or Valkey. It uses the Redlock algorithm,
 * as the Redis project has published it, with fencing tokens and with a delayed restart that needs no operator. Immutable
 * and thread-safe; may be opened by several clients.
 *
 * <pre>{@code
 * Leasehold leasehold = Leasehold.connect("redlock://redis-a,redis-b,redis-c,redis-d,redis-e");
 * }</pre>
 *
 * <p>A claim that has a majority of the configured masters holds the lock; so locks are available as long as a majority is.
 * At most one holder has it, also when masters crash, restart empty, are flushed or lag: a master that may have forgotten a
 * lease has no vote until the longest lease of any client, {@linkplain #withMaxLease maxLeaseDuration}, is over. What is
 * assumed: the masters are independent (no replicas that are promoted, no shared disk), their clocks run at the same speed
 * within one per cent and are not set by more than half of the maxLeaseDuration, and nobody breaks a lock or deletes its
 * keys. {@code docs/redlock-analysis.md} has the argument, step by step.
 *
 * <p>Read-write locks work as mutexes do; without {@code leasehold.keys=plain}, which other clients than ours share. A master
 * keeps all readers of a lock in one text, which is meant for tens of them. Semaphores are refused, since majorities do
 * not count: with three masters and two permits three holders could each have one. A writer cannot be downgraded.
 *
 * <p>A new quorum has no vote for one maxLeaseDuration after its masters were started; {@link #initialize()}, or {@code
 * leasehold quorum init}, opens it at once.
 */
public final class RedlockStore implements StoreFactory {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final List<RedisURI> masters;
    private final @Nullable RedisClient given;
    private final RedlockOptions options;
    private final Tls tls;

    private RedlockStore(List<RedisURI> masters, @Nullable RedisClient given, RedlockOptions options) {
        this(masters, given, options, Tls.OF_THE_JVM);
    }

    private RedlockStore(List<RedisURI> masters, @Nullable RedisClient given, RedlockOptions options, Tls tls) {
        if (masters.isEmpty()) {
            throw new IllegalArgumentException("a quorum needs at least one master");
        }
        List<String> names = masters.stream().map(RedisUris::name).toList();
        if (names.stream().distinct().count() < names.size()) {
            throw new IllegalArgumentException(
                    "each master of a quorum can be named only once, but they were " + String.join(", ", names));
        }
        for (RedisURI master : masters) {
            if (!master.getSentinels().isEmpty()) {
                throw new IllegalArgumentException("the masters of a quorum are independent servers; Sentinel would "
                        + "replace them by servers that may have forgotten leases");
            }
        }
        this.masters = List.copyOf(masters);
        this.given = given;
        this.options = options;
        this.tls = tls;
    }

    /**
     * Makes a store of locks on a quorum of masters.
     *
     * @param masters where they are, each with user, password and TLS as it needs; their number decides what a majority
     *     is, so it must be the same for all clients
     * @return the store
     * @throws IllegalArgumentException if there is none, one is named twice, or one names sentinels
     */
    public static RedlockStore of(List<RedisURI> masters) {
        return new RedlockStore(masters, null, RedlockOptions.DEFAULTS);
    }

    /**
     * Makes a store of locks on a quorum of masters, over the threads and with the TLS and socket options of a Lettuce
     * client. The client stays the caller's and is never closed here. Its options about reconnecting are not used: a
     * connection to a master of a quorum must not come back to another run of the server and send again what was meant
     * for the one before.
     *
     * @param client a Lettuce client
     * @param masters where they are; see {@link #of}
     * @return the store
     * @throws IllegalArgumentException if there is none, one is named twice, or one names sentinels
     */
    public static RedlockStore using(RedisClient client, List<RedisURI> masters) {
        return new RedlockStore(masters, Objects.requireNonNull(client, "client"), RedlockOptions.DEFAULTS);
    }

    /** Returns this store without a gate, for benchmarks that compare the two. Called last. */
    RedlockStore withoutGate() {
        return with(options.withoutGate());
    }

    private RedlockStore with(RedlockOptions changed) {
        return new RedlockStore(masters, given, changed, tls);
    }

    static RedlockStore at(List<RedisURI> masters, RedlockOptions options, Tls tls) {
        return new RedlockStore(masters, null, options, tls);
    }

    /**
     * Returns this store with another longest lease. In a URI: {@code leasehold.maxLeaseDuration=60s}.
     *
     * <p>No client of the quorum can ask for a longer lease, extension or {@code minHold}; and so long, and a little
     * longer, a master that was restarted has no vote. All clients must have the same: the masters keep it, and refuse
     * clients with another.
     *
     * @param duration 100 ms to 7 days; 60 s unless it is changed
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedlockStore withMaxLease(Duration duration) {
        return with(options.withMaxLease(duration));
    }

    /**
     * Returns this store with another limit for one master's answer. In a URI: {@code leasehold.nodeTimeout=50ms}. The wait
     * is never longer than a tenth of the lease.
     *
     * @param duration 1 ms to 10 s; 50 ms unless it is changed
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedlockStore withNodeTimeout(Duration duration) {
        return with(options.withNodeTimeout(duration));
    }

    /**
     * Returns this store with locks whose key is their bare name: they are shared with every client of the published
     * algorithm, in any language. In a URI: {@code leasehold.keys=plain}. See {@link RedisStore#withPlainKeys()}. Exclusion
     * with such clients holds only as long as no master loses its memory: they do not know that it has no vote then.
     *
     * @return the changed copy
     */
    public RedlockStore withPlainKeys() {
        return with(options.with(options.settings().withPlainKeys()));
    }

    /**
     * Returns this store with keys and channels that begin otherwise than with {@code leasehold:}. In a URI: {@code
     * leasehold.keyPrefix=tenant7:}. See {@link RedisStore#withKeyPrefix}. Each prefix is a quorum of its own, on the same masters:
     * {@link #initialize()} opens it alone.
     *
     * @param prefix 1 to 200 letters, digits or characters of {@code ._:/-}
     * @return the changed copy
     * @throws IllegalArgumentException if it has others
     */
    public RedlockStore withKeyPrefix(String prefix) {
        return with(options.with(options.settings().withKeyPrefix(prefix)));
    }

    /**
     * Returns this store with another time for which its masters remember the last fencing token of a lock that nobody uses. In
     * a URI: {@code leasehold.tokenLife=6h}. See {@link RedisStore#withTokenLife}.
     *
     * @param life a minute to a year, and not below the longest lease; two days unless it is changed
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedlockStore withTokenLife(Duration life) {
        return with(options.with(options.settings().withTokenLife(life)));
    }

    /**
     * Returns this store with masters that keep their vote after a restart. In a URI: {@code
     * leasehold.trustPersistence=true}.
     *
     * <p>Only for masters with {@code appendonly yes} and {@code appendfsync always}, on disks that keep what they have
     * acknowledged: what a master has answered must be there after any crash; and only for masters without replicas, since
     * what comes from another server may lag. All clients must have the same.
     *
     * @return the changed copy
     */
    public RedlockStore withTrustedPersistence() {
        return with(options.withTrust(true));
    }

    /**
     * Opens a new quorum at once: gives every master its vote, without which no lock is granted for one maxLeaseDuration
     * after their start. Blocks for as long as it takes to reach all masters. Nothing is changed unless all of them answer
     * and none has a vote.
     *
     * <p>Call it only if no lock of this quorum was held or granted within the last maxLeaseDuration: the masters cannot
     * know.
     *
     * @return what each master has answered
     * @throws StoreUnavailableException if a master does not answer; its {@code nodes()} tell which
     * @throws LockException if a master has a vote already, or refuses
     */
    public List<NodeAnswer> initialize() {
        return withMasters(CONNECT_TIMEOUT, QuorumOpening::open);
    }

    /**
     * Asks every master for its vote: whether it has one, and for how long it has none. Blocks for some seconds at most for
     * each. For people; a master that has not been used yet notes from when on it counts, as with any first use.
     *
     * @return what each master has answered, or why there was no answer
     */
    public List<MasterVote> votes() {
        return withMasters(CONNECT_TIMEOUT, QuorumOpening::look);
    }

    /**
     * Returns the longest lease that any client of the quorum can ask for, as {@link #withMaxLease} has set it.
     *
     * @return the duration
     */
    public Duration maxLease() {
        return options.maxLease();
    }

    private <T> T withMasters(Duration timeout, Function<QuorumOpening, T> question) {
        OwnClient own = OwnClient.overOrOwn(given, timeout, tls);
        try (QuorumOpening opening = new QuorumOpening(own.client(), masters, options.marker(), toString(), timeout)) {
            return question.apply(opening);
        } finally {
            own.close();
        }
    }

    @Override
    public Store open(StoreContext context) {
        String refusal = options.settings().refusal(context);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        Duration timeout = shorter(context.storeTimeout(), CONNECT_TIMEOUT);
        OwnClient own = OwnClient.overOrOwn(given, timeout, tls);
        RedisSettings settings = options.settings();
        KeyNames names = settings.names(context, false);
        AtomicReference<@Nullable QuorumStore> store = new AtomicReference<>();
        List<Voter> voters = new ArrayList<>();
        BallotEncoder encoder = new BallotEncoder(context.owner(), options.marker());
        for (RedisURI master : masters) {
            int number = voters.size();
            Connector connector = new UriConnector(own.client(), master, RedisUris.name(master));
            NodeListener listener = new NodeListener() {
                @Override
                public void granted(Grant grant, @Nullable Validity validity) {
                    QuorumStore to = store.get();
                    if (to != null) {
                        to.granted(number, grant.lease());
                    }
                }

                @Override
                public void doubt(@Nullable String lock) {
                    context.signals().doubt(lock);
                }
            };
            Inbox inbox = new Inbox(connector, context, names, false, listener);
            RedisNode node = new RedisNode(connector, context, settings, names, inbox, true, listener);
            voters.add(new RedisVoter(node, encoder, options.marker()));
        }
        AtomicLong attempts = new AtomicLong();
        Quorum quorum = new Quorum(
                toString(),
                voters,
                claim -> new ClaimId(context.clientId(), attempts.incrementAndGet()),
                context.time(),
                new SplittableRandom(new SecureRandom().nextLong()),
                new QuorumSettings(
                        options.maxLease(),
                        options.nodeTimeout(),
                        RequestHorizon.of(context.storeTimeout()),
                        options.gated()));
        QuorumStore made = new QuorumStore(
                quorum,
                context.signals(),
                all -> OwnClient.closeAfter(all, own::close),
                settings.plainKeys() ? QuorumSharing.PLAIN_KEYS : QuorumSharing.READ_WRITE);
        store.set(made);
        return made;
    }

    @Override
    public Examination examine(StoreContext context) throws InterruptedException {
        Duration timeout = shorter(context.storeTimeout(), CONNECT_TIMEOUT);
        OwnClient own = OwnClient.overOrOwn(given, timeout, tls);
        List<Finding> findings;
        try {
            findings = new QuorumDoctor(toString(), masters, options, context, own.client(), timeout).examine();
        } finally {
            own.close();
        }
        findings.add(Trial.of(this, context));
        return new Examination(findings);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public String kind() {
        return "redlock";
    }

    @Override
    public String toString() {
        return masters.stream().map(RedisUris::place).collect(Collectors.joining(",", "redlock://", ""));
    }
}
