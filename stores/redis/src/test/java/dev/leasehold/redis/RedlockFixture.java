package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.FaultProxy;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A quorum of real masters, a way to each that can be spoiled, and clients. */
public final class RedlockFixture implements AutoCloseable {

    public static final Duration LEASE = Duration.ofSeconds(10);

    final List<RedisProcess> servers;
    public final List<FaultProxy> proxies = new ArrayList<>();
    public final RedlockStore store;
    private final Masters masters;
    private final List<Leasehold> clients = new ArrayList<>();

    private RedlockFixture(Masters masters, Duration maxLease) {
        this.masters = masters;
        servers = masters.servers;
        store = RedlockStore.of(masters.uris()).withMaxLease(maxLease).withNodeTimeout(Duration.ofSeconds(1));
    }

    /** Masters that have their votes, where no lease is longer than a minute. */
    public static RedlockFixture opened(int count, String... options) {
        return opened(count, Duration.ofMinutes(1), options);
    }

    public static RedlockFixture opened(int count, Duration maxLease, String... options) {
        RedlockFixture fixture = unopened(count, maxLease, options);
        fixture.store.initialize();
        return fixture;
    }

    public static RedlockFixture unopened(int count, Duration maxLease, String... options) {
        return new RedlockFixture(Masters.start(count, options), maxLease);
    }

    List<RedisURI> uris() {
        return masters.uris();
    }

    /** Returns the same masters behind proxies, which all clients made in this way share. */
    public RedlockStore proxied() {
        for (RedisProcess server : servers.subList(proxies.size(), servers.size())) {
            proxies.add(FaultProxy.to(server.port()));
        }
        return RedlockStore.of(proxies.stream()
                        .map(proxy -> RedisURI.create("redis://localhost:" + proxy.port()))
                        .toList())
                .withNodeTimeout(Duration.ofSeconds(1));
    }

    public Leasehold client() {
        return client(store, LEASE);
    }

    public Leasehold client(RedlockStore to, Duration lease) {
        return client(to, lease, Duration.ofSeconds(20));
    }

    public Leasehold client(RedlockStore to, Duration lease, Duration storeTimeout) {
        return add(Leasehold.builder()
                .store(to)
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .storeTimeout(storeTimeout)
                .build());
    }

    public Leasehold add(Leasehold client) {
        clients.add(client);
        return client;
    }

    public RedisProcess server(int node) {
        return servers.get(node);
    }

    /** The node restarts at once, and has nothing of what it had. */
    public void crash(int node) {
        servers.get(node).kill();
        servers.get(node).restart();
        // A master that keeps its data on disk reads it first, and says so to clients that ask meanwhile.
        await().ignoreExceptionsInstanceOf(RedisLoadingException.class)
                .until(() -> server(node).commands().ping(), "PONG"::equals);
    }

    /** Returns the number of waiters for a lock, on all nodes. */
    long waiters(String lock) {
        long all = 0;
        for (RedisProcess server : servers) {
            all += server.commands().llen("leasehold:{" + lock + "}:queue");
        }
        return all;
    }

    public void awaitWaiters(String lock, long count) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> waiters(lock) == count);
    }

    /** Returns the node where somebody stands in line. */
    public int gate(String lock) {
        for (int i = 0; i < servers.size(); i++) {
            if (server(i).commands().exists("leasehold:{" + lock + "}:queue") == 1) {
                return i;
            }
        }
        throw new AssertionError("nobody stands in line for " + lock);
    }

    /** On the first nodes nothing is left but the marker and the last token. */
    public void awaitNothingLeft(String lock, int nodes) {
        for (RedisProcess server : servers.subList(0, nodes)) {
            await().untilAsserted(() -> assertThat(server.commands().keys("*"))
                    .isSubsetOf("leasehold:quorum", "leasehold:{" + lock + "}:token"));
        }
    }

    /** Every node has the lock, also those that were not needed for the majority. */
    public void awaitHeldEverywhere(String lock) {
        for (RedisProcess server : servers) {
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> server.commands().exists("leasehold:{" + lock + "}") == 1);
        }
    }

    /** Waits until the end of each of these leases has moved since now. */
    public static void awaitRenewed(Lease... leases) {
        for (Lease lease : leases) {
            long before = end(lease);
            await().pollInterval(Duration.ofMillis(5)).until(() -> end(lease) - before > 500_000_000L);
        }
    }

    private static long end(Lease lease) {
        return System.nanoTime() + lease.remaining().toNanos();
    }

    /** Waits until a lease is lost. Each look at it that begins so long after now, or later, finds it not valid. */
    public static void awaitLossWithin(Lease lease, Duration within) {
        long start = System.nanoTime();
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            boolean late = System.nanoTime() - start >= within.toNanos();
            LeaseState state = lease.state();
            assertThat(late && state.isValid()).isFalse();
            return state == LeaseState.LOST;
        });
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::letGo);
        clients.forEach(Leasehold::close);
        proxies.forEach(FaultProxy::close);
        masters.close();
    }
}
