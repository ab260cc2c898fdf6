package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server whose inside a test can reach: sessions, counters, the tree. And a plain handle to look at it. */
final class OneServer implements AutoCloseable {

    static final String LOCKS = "/it/leasehold/locks/";

    private final Path directory;
    private final ZooKeeperServer server;
    private final ServerCnxnFactory connections;
    final ZooKeeper probe;

    OneServer() throws Exception {
        directory = Files.createTempDirectory("leasehold-zookeeper");
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), Zoo.TICK);
        server.setMaxSessionTimeout(7_200_000);
        connections =
                ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10_000);
        connections.startup(server);
        probe = new ZooKeeper("127.0.0.1:" + port(), 60_000, event -> {});
        probe.exists("/", false);
    }

    int port() {
        return connections.getLocalPort();
    }

    StoreFactory store(long sessionMillis) {
        return Zoo.store("127.0.0.1:" + port(), sessionMillis);
    }

    ZooKeeperServer server() {
        return server;
    }

    DataTree tree() {
        return server.getZKDatabase().getDataTree();
    }

    /** The server ends a session, as if it had not heard of it for long. */
    void expire(long session) {
        server.closeSession(session);
    }

    /** The server removes containers that were used and are empty, as one that is not embedded does each minute. */
    void removeEmptyContainers() throws InterruptedException {
        RequestProcessor entry = new RequestProcessor() {
            @Override
            public void processRequest(Request request) {
                server.enqueueRequest(request);
            }

            @Override
            public void shutdown() {}
        };
        new ContainerManager(server.getZKDatabase(), entry, 60_000, 60_000).checkContainers();
    }

    List<String> nodes(String lock) {
        try {
            return probe.getChildren(LOCKS + lock, false).stream().sorted().toList();
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Stat stat(String lock, String node) {
        try {
            return probe.exists(LOCKS + lock + '/' + node, false);
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The session that has a lock's only node. */
    long owner(String lock) {
        List<String> nodes = nodes(lock);
        if (nodes.size() != 1) {
            throw new AssertionError("one node expected, but there are " + nodes);
        }
        return stat(lock, nodes.get(0)).getEphemeralOwner();
    }

    void make(String path) throws Exception {
        StringBuilder made = new StringBuilder();
        for (String step : path.substring(1).split("/")) {
            made.append('/').append(step);
            try {
                probe.create(made.toString(), new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            } catch (KeeperException.NodeExistsException e) {
                // Then it is there.
            }
        }
    }

    /** Lets a node have no more than so many below it, itself among them. */
    void limit(String path, int most) throws Exception {
        String quota = "/zookeeper/quota" + path;
        make(quota + "/zookeeper_limits");
        make(quota + "/zookeeper_stats");
        StatsTrack limits = new StatsTrack();
        limits.setCountHardLimit(most);
        probe.setData(quota + "/zookeeper_limits", limits.getStatsBytes(), -1);
    }

    @Override
    public void close() {
        try {
            probe.close();
            connections.shutdown();
            server.shutdown();
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
