package dev.leasehold.servers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A Redis group has several servers that belong together. */
public final class RedisGroup implements AutoCloseable {

    private static final int SLOTS = 16384;
    private static final int MASTERS = 3;

    public final List<RedisProcess> servers = new ArrayList<>();

    private RedisGroup() {}

    /**
     * Starts a cluster of three masters, without replicas.
     *
     * @param options of each server, beside those that make it a node
     */
    public static RedisGroup cluster(String... options) {
        RedisGroup group = new RedisGroup();
        return group.filledBy(() -> group.becomeCluster(List.of(options)));
    }

    /** Returns the group when its servers have been started; those that were are closed if one cannot be. */
    private RedisGroup filledBy(Runnable start) {
        try {
            start.run();
            return this;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void becomeCluster(List<String> options) {
        for (int i = 0; i < MASTERS; i++) {
            List<String> all = new ArrayList<>(List.of(
                    "--cluster-enabled",
                    "yes",
                    "--cluster-node-timeout",
                    "3000",
                    "--cluster-port",
                    Integer.toString(Ports.next())));
            all.addAll(options);
            servers.add(RedisProcess.start(all.toArray(String[]::new)));
        }
        for (int i = 0; i < MASTERS; i++) {
            RedisProcess server = servers.get(i);
            int first = SLOTS * i / MASTERS;
            int end = SLOTS * (i + 1) / MASTERS;
            server.commands()
                    .clusterAddSlots(
                            java.util.stream.IntStream.range(first, end).toArray());
            if (i > 0) {
                meet(server, servers.get(0));
            }
        }
        awaitCluster();
    }

    private static void meet(RedisProcess server, RedisProcess other) {
        try (Socket admin = ServerProcess.connect(server.port())) {
            String order = "CLUSTER MEET 127.0.0.1 " + other.port() + " " + other.busPort() + "\r\n";
            admin.getOutputStream().write(order.getBytes(StandardCharsets.US_ASCII));
            admin.getInputStream().read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until each node of a cluster says that the cluster serves. */
    public void awaitCluster() {
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .until(() -> servers.stream()
                        .map(server -> server.commands().clusterInfo())
                        .allMatch(info -> info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")));
    }

    /** Returns which of the masters of a cluster has a slot, as long as none was moved. */
    public static int firstMaster(int slot) {
        int master = 0;
        while (SLOTS * (master + 1) / MASTERS <= slot) {
            master++;
        }
        return master;
    }

    /** Starts a master and a replica that it counts as online. */
    public static RedisGroup replicated() {
        RedisGroup group = new RedisGroup();
        return group.filledBy(group::becomeReplicated);
    }

    private void becomeReplicated() {
        RedisProcess master = RedisProcess.start("--repl-diskless-sync-delay", "0");
        servers.add(master);
        servers.add(RedisProcess.start("--replicaof", "127.0.0.1 " + master.port()));
        // A replica calls itself up before its master calls it online, and only then it is counted.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> master.commands().info("replication").contains("state=online"));
    }

    /** Starts a master, a replica, and one Sentinel that watches them. */
    public static RedisGroup sentinel() {
        RedisGroup group = replicated();
        return group.filledBy(() -> {
            group.servers.add(RedisProcess.sentinel(group.servers.get(0).port()));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> group.servers.get(2).sentinelKnowsReplica());
        });
    }

    /** Returns the port of the master that Sentinel names, in a group that {@link #sentinel()} made. */
    public int sentinelMaster() {
        return ((java.net.InetSocketAddress) servers.get(2).sentinel().getMasterAddrByName("main")).getPort();
    }

    public String addresses() {
        return servers.stream().map(server -> "localhost:" + server.port()).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        servers.forEach(RedisProcess::close);
    }
}
