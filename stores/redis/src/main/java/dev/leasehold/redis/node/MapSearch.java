package dev.leasehold.redis.node;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A map search asks one node of a cluster after the other for the map; the next where one has failed, or is silent for a second. */
record MapSearch(
        String cluster,
        List<SlotMap.Address> all,
        Function<SlotMap.Address, RedisNode> nodes,
        TimeSource time,
        Map<SlotMap.Address, Throwable> failed,
        CompletableFuture<SlotMap> result) {

    private static final Duration LONG = Duration.ofSeconds(1);

    MapSearch(
            String cluster,
            List<SlotMap.Address> all,
            Function<SlotMap.Address, RedisNode> nodes,
            TimeSource time,
            CompletableFuture<SlotMap> result) {
        this(cluster, all, nodes, time, new ConcurrentHashMap<>(), result);
    }

    void ask(int index) {
        if (index == all.size() || result.isDone()) {
            return;
        }
        SlotMap.Address address = all.get(index);
        AtomicBoolean passed = new AtomicBoolean();
        Runnable next = () -> {
            if (passed.compareAndSet(false, true)) {
                ask(index + 1);
            }
        };
        TimeSource.Timer timer = time.schedule(LONG, next);
        nodes.apply(address)
                .scripts()
                .ask(
                        "the map of the cluster",
                        CommandType.CLUSTER,
                        new CommandArgs<>(RedisConnection.CODEC).add("SLOTS"),
                        (sentAt, answer) -> SlotMap.read(answer, address))
                .whenComplete((fresh, failure) -> {
                    timer.cancel();
                    if (failure == null) {
                        result.complete(fresh);
                        return;
                    }
                    failed.put(address, Causes.of(failure));
                    if (failed.size() == all.size()) {
                        result.completeExceptionally(none());
                    }
                    next.run();
                });
    }

    /** A request that all nodes refuse is refused for good; a node that is down may not refuse it. */
    private Throwable none() {
        @Nullable Throwable passing = null;
        List<String> each = new ArrayList<>();
        for (Throwable failure : failed.values()) {
            passing = failure instanceof StoreUnavailableException ? failure : passing;
            each.add(String.valueOf(failure.getMessage()));
        }
        return each.size() == 1 || passing == null
                ? Objects.requireNonNull(failed.get(all.get(0)))
                : ClusterNodes.nowhere(
                        cluster,
                        "no node told which of them has which slots (" + String.join("; ", each) + ")",
                        passing);
    }
}
