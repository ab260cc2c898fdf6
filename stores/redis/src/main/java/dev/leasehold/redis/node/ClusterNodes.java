package dev.leasehold.redis.node;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.Stages;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.SearchingConnector;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Cluster nodes are the masters of a cluster: each lock's operations go to the one that has its slot, over a connection of
 * that node's own, so that a node that hangs delays no lock but its own.
 *
 * <p>Which master has which slot is learned from any node, and anew whenever a node says that a slot has moved, or fails.
 * That can only be late, never wrong: a node that does not have a slot says so and does nothing. All nodes share one inbox,
 * since a cluster carries messages to all of its nodes.
 */
public final class ClusterNodes implements LockCommands {

    private static final int MOST_REDIRECTS = 5;
    private static final long LEAST_PAUSE_NANOS = 200_000_000L;
    private static final Duration LONG = Duration.ofSeconds(1);
    private static final int MOST_LOOKS = 5;

    private final String name;
    private final List<SlotMap.Address> seeds;
    private final Function<SlotMap.Address, Connector> connectors;
    private final StoreContext context;
    private final RedisSettings settings;
    private final NodeListener listener;
    private final KeyNames names;
    private final Inbox inbox;
    private final ConcurrentMap<SlotMap.Address, RedisNode> nodes = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<SlotMap>> reading = new AtomicReference<>();
    private volatile @Nullable SlotMap map;
    private volatile long readAt;
    private volatile boolean closed;

    public ClusterNodes(
            String name,
            List<SlotMap.Address> seeds,
            Function<SlotMap.Address, Connector> connectors,
            StoreContext context,
            RedisSettings settings,
            NodeListener listener) {
        this.name = name;
        this.seeds = seeds;
        this.connectors = connectors;
        this.context = context;
        this.listener = listener;
        this.settings = settings;
        names = settings.names(context, true);
        Connector anyone = new SearchingConnector(
                name,
                this::anywhere,
                SearchingConnector.Wanted.ANY,
                context.time(),
                SearchingConnector.Patience.within(context.storeTimeout()));
        inbox = new Inbox(anyone, context, names, settings.replicas() == 0, listener);
    }

    private List<Connector> anywhere() {
        return addresses().stream().map(connectors).toList();
    }

    private Set<SlotMap.Address> addresses() {
        Set<SlotMap.Address> all = new LinkedHashSet<>();
        SlotMap known = map;
        if (known != null) {
            all.addAll(known.masters());
        }
        all.addAll(seeds);
        return all;
    }

    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        return on(claim.lock(), node -> node.claim(claim));
    }

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        return on(lease.lock(), node -> node.renew(lease, duration));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        return on(lease.lock(), node -> node.downgrade(lease, duration));
    }

    /** While the slot is on its way the lease is ended alone; its queue may be at either end. */
    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        CompletableFuture<ReleaseAnswer> result = new CompletableFuture<>();
        on(lease.lock(), node -> node.release(lease, keepFor)).whenComplete((answer, failure) -> {
            if (failure != null && Redirect.isHalfway(failure)) {
                Stages.pass(on(lease.lock(), node -> node.releaseAlone(lease, keepFor)), result);
            } else {
                Stages.settle(result, answer, failure);
            }
        });
        return result;
    }

    @Override
    public CompletionStage<Boolean> withdraw(String lock, ClaimId claim) {
        return on(lock, node -> node.withdraw(lock, claim));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return on(lock, node -> node.breakLease(lock, token));
    }

    @Override
    public CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        String only = pattern.onlyName();
        if (only != null) {
            return on(only, node -> node.list(pattern));
        }
        return read().thenCompose(fresh -> {
            List<CompletableFuture<List<LockInfo>>> lists = new ArrayList<>();
            for (SlotMap.Address master : fresh.masters()) {
                lists.add(node(master).list(pattern).toCompletableFuture());
            }
            return CompletableFuture.allOf(lists.toArray(CompletableFuture<?>[]::new))
                    .thenApply(all -> lists.stream()
                            .flatMap(list -> list.join().stream())
                            .sorted(Comparator.comparing(LockInfo::name))
                            .toList());
        });
    }

    @Override
    public CompletableFuture<?> close() {
        closed = true;
        List<CompletableFuture<?>> closing = new ArrayList<>();
        closing.add(inbox.close());
        nodes.values().forEach(node -> closing.add(node.close()));
        return CompletableFuture.allOf(closing.toArray(CompletableFuture<?>[]::new));
    }

    private <T> CompletionStage<T> on(String lock, Function<RedisNode, CompletionStage<T>> operation) {
        String key = names.lock(lock);
        SlotMap known = map;
        SlotMap.Address address = known == null ? null : known.of(key);
        CompletableFuture<T> result = new CompletableFuture<>();
        if (address != null) {
            attempt(operation, address, false, MOST_REDIRECTS, result);
            return result;
        }
        read().whenComplete((fresh, failure) -> {
            SlotMap.Address found = fresh == null ? null : fresh.of(key);
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (found == null) {
                result.completeExceptionally(
                        nowhere(name, "no master has the slot of '" + lock + "' at the moment", null));
            } else {
                attempt(operation, found, false, MOST_REDIRECTS, result);
            }
        });
        return result;
    }

    static StoreUnavailableException nowhere(String name, String why, @Nullable Throwable cause) {
        return new StoreUnavailableException(
                name + ": " + why + "; nothing was done", name, Outcome.NOT_CARRIED_OUT, cause);
    }

    private <T> void attempt(
            Function<RedisNode, CompletionStage<T>> operation,
            SlotMap.Address to,
            boolean asking,
            int redirectsLeft,
            CompletableFuture<T> result) {
        RedisNode node = node(to);
        operation.apply(asking ? node.asking() : node).whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
                return;
            }
            Redirect redirect = Redirect.in(failure, to);
            if (redirect == null || redirect.forGood()) {
                readSoon();
            }
            if (redirect == null) {
                result.completeExceptionally(failure);
            } else if (redirectsLeft == 0) {
                result.completeExceptionally(nowhere(name, "its nodes send each other's clients in circles", failure));
            } else {
                attempt(operation, redirect.to(), !redirect.forGood(), redirectsLeft - 1, result);
            }
        });
    }

    private RedisNode node(SlotMap.Address address) {
        RedisNode node = nodes.computeIfAbsent(
                address,
                at -> new RedisNode(
                        watched(connectors.apply(at)), context, settings, names, inbox, false, listenerOf(at)));
        if (closed) {
            node.close();
        }
        return node;
    }

    /**
     * Narrows the doubt to one node: when its connection has been lost, leases on the others are not in doubt, and asking
     * costs them much.
     */
    private NodeListener listenerOf(SlotMap.Address node) {
        return new NodeListener() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                listener.granted(grant, validity);
            }

            @Override
            public void doubt(@Nullable String lock) {
                listener.doubt(lock);
            }

            @Override
            public void doubtNode() {
                SlotMap known = map;
                context.signals().doubtIf(lock -> known == null || isAt(node, known.of(names.lock(lock))));
            }
        };
    }

    private static boolean isAt(SlotMap.Address node, SlotMap.@Nullable Address owner) {
        return owner == null || owner.equals(node);
    }

    private void readSoon() {
        if (context.time().nanos() - readAt > LEAST_PAUSE_NANOS) {
            read();
        }
    }

    /** Reads the map from the first node that answers, those first that are connected; callers that come meanwhile share the answer. */
    private CompletionStage<SlotMap> read() {
        CompletableFuture<SlotMap> mine = new CompletableFuture<>();
        while (!reading.compareAndSet(null, mine)) {
            CompletableFuture<SlotMap> others = reading.get();
            if (others != null) {
                return others;
            }
        }
        mine.whenComplete((fresh, failure) -> {
            readAt = context.time().nanos();
            if (fresh != null) {
                take(fresh);
            }
            reading.set(null);
        });
        List<SlotMap.Address> all = new ArrayList<>(addresses());
        all.sort(Comparator.comparing(address -> {
            RedisNode node = nodes.get(address);
            return node == null || !node.scripts().isConnected();
        }));
        new MapSearch(name, all, this::node, context.time(), mine).ask(0);
        return mine;
    }

    /** While a node is long in being connected to, another may become the master in its place. */
    private Connector watched(Connector node) {
        return new Connector() {
            @Override
            public CompletionStage<? extends StatefulRedisConnection<String, String>> connect() {
                CompletionStage<? extends StatefulRedisConnection<String, String>> opening = node.connect();
                lookMeanwhile(opening.toCompletableFuture(), MOST_LOOKS);
                return opening;
            }

            @Override
            public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
                return node.listen();
            }

            @Override
            public String toString() {
                return node.toString();
            }
        };
    }

    private void lookMeanwhile(CompletableFuture<?> opening, int left) {
        context.time().schedule(LONG, () -> {
            if (!opening.isDone() && !closed && left > 0 && map != null) {
                readSoon();
                lookMeanwhile(opening, left - 1);
            }
        });
    }

    private void take(SlotMap fresh) {
        SlotMap before = map;
        map = fresh;
        Set<SlotMap.Address> masters = fresh.masters();
        nodes.forEach((address, node) -> {
            if (!masters.contains(address) && nodes.remove(address, node)) {
                node.close();
            }
        });
        if (before != null && !before.equals(fresh)) {
            context.signals().doubtIf(lock -> {
                String key = names.lock(lock);
                return !Objects.equals(before.of(key), fresh.of(key));
            });
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
