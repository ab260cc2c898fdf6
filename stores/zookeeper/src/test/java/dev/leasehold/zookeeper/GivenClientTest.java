package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.listen.UnaryListenerManager;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show what a client leaves in a session that is the user's, and goes on after it. */
@Tag("slow")
class GivenClientTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String name = "lock-" + UUID.randomUUID();
    private FaultProxy proxy;
    private CuratorFramework curator;
    private int listeners;
    private Leasehold client;

    @BeforeEach
    void connect() throws Exception {
        proxy = FaultProxy.to(ZOO.get().port());
        curator = CuratorFrameworkFactory.newClient("127.0.0.1:" + proxy.port(), 600_000, 5_000, new RetryOneTime(10));
        curator.start();
        curator.blockUntilConnected();
        listeners = listeners();
        client = Leasehold.builder()
                .store(ZooKeeperStore.using(curator.usingNamespace("it")))
                .storeTimeout(Duration.ofSeconds(10)) // A close without a connection takes that long.
                .build();
        client.lock(name).acquire().close();
    }

    @AfterEach
    void close() {
        client.close();
        curator.close();
        proxy.close();
    }

    private int listeners() {
        return ((UnaryListenerManager<ConnectionStateListener>) curator.getConnectionStateListenable()).size();
    }

    private List<String> nodes() {
        return ZOO.get().nodes(name);
    }

    private static List<String> clients() throws Exception {
        return ZOO.get().probe.getChildren("/it/leasehold/clients", false);
    }

    private void disconnect() {
        proxy.refuse(true);
        proxy.cut();
        await().until(() -> !curator.getZookeeperClient().isConnected());
    }

    private void nothingIsLeftInTheSession() throws Exception {
        await().until(() -> nodes().isEmpty());
        await().until(() -> clients().isEmpty());
        await().until(() -> listeners() == listeners);
        assertThat(curator.getZookeeperClient().isConnected()).isTrue();
    }

    @Test
    @DisplayName("A client that is closed while it is disconnected deletes its nodes later")
    void aClientClosedWhileCutOffDeletesItsNodesLater() throws Exception {
        Lease lease = client.lock(name).acquire();
        lease.extend(Duration.ofSeconds(30));
        assertThat(nodes()).hasSize(1);
        assertThat(clients()).hasSize(1);
        disconnect();
        lease.close();
        client.close();
        proxy.refuse(false);
        nothingIsLeftInTheSession();
    }

    @Test
    @DisplayName("a node whose creation was under way when its client was closed is looked for and deleted")
    void creationUnderWay_atClose_isFoundAndDeleted() throws Exception {
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<Lease> claiming = client.lock(name).acquireAsync();
        await().until(() -> nodes().size() == 1);
        proxy.refuse(true);
        proxy.cut();
        proxy.letGo();
        await().until(() -> !curator.getZookeeperClient().isConnected());
        claiming.cancel(false);
        client.close();
        assertThat(nodes()).hasSize(1);
        proxy.refuse(false);
        nothingIsLeftInTheSession();
    }

    @Test
    @DisplayName("A client that is closed while it is connected stops listening")
    void aClientClosedWhileConnectedStopsListening() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6));
        Lease lease = client.lock(name, brief).acquire();
        lease.extend(Duration.ofSeconds(6));
        client.close(Duration.ZERO);
        assertThat(nodes()).as("not given back by its caller").hasSize(1);
        nothingIsLeftInTheSession();
    }
}
