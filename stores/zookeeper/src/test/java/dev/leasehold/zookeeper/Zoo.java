package dev.leasehold.zookeeper;

import dev.leasehold.servers.Ports;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;

/** A zoo has ZooKeeper servers for tests, with session time-outs from a second to hours. */
final class Zoo {

    static final int TICK = 500;
    private static final Map<String, Object> PROPERTIES =
            Map.of("maxSessionTimeout", "7200000", "4lw.commands.whitelist", "*", "admin.enableServer", "false");

    private Zoo() {}

    static InstanceSpec spec(int serverId) {
        return new InstanceSpec(
                null, Ports.next(), Ports.next(), Ports.next(), true, serverId, TICK, 10_000, PROPERTIES, "127.0.0.1");
    }

    static TestingServer server() throws Exception {
        return new TestingServer(spec(-1), true);
    }

    static TestingCluster ensemble() throws Exception {
        TestingCluster cluster = new TestingCluster(spec(1), spec(2), spec(3));
        cluster.start();
        return cluster;
    }

    static String uri(String servers, long sessionMillis) {
        return "zookeeper://" + servers + "/it?leasehold.sessionTimeout=" + sessionMillis;
    }

    static StoreFactory store(String servers, long sessionMillis) {
        return new ZooKeeperStoreProvider().create(StoreUri.parse(uri(servers, sessionMillis)));
    }

    static String servers(TestingCluster cluster) {
        return cluster.getInstances().stream()
                .map(each -> "127.0.0.1:" + each.getPort())
                .collect(Collectors.joining(","));
    }
}
