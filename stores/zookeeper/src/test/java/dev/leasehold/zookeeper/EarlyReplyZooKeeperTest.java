package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.jute.Record;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show what this client tells of creations and deletions, where, and how often: on a real server. */
@Tag("slow")
class EarlyReplyZooKeeperTest {

    private record Told(Code code, String path, String name, Stat stat, String thread) {}

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String queue = "/queue-" + UUID.randomUUID();
    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    private final TestTime time = new TestTime();
    private FaultProxy proxy;
    private EarlyReplyZooKeeper zooKeeper;

    @BeforeEach
    void connect() throws Exception {
        ZOO.get().make(queue);
        proxy = FaultProxy.to(ZOO.get().port());
        connect("org.apache.zookeeper.ClientCnxnSocketNIO");
    }

    private void connect(String socket) throws Exception {
        String server = "127.0.0.1:" + proxy.port();
        ConnectAttempts attempts =
                new ConnectAttempts(new StaticHostProvider(new ConnectStringParser(server).getServerAddresses()), time);
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, socket);
        zooKeeper = new EarlyReplyZooKeeper(server, 60_000, event -> {}, false, attempts, config);
        await().until(() -> zooKeeper.getState() == ZooKeeper.States.CONNECTED);
    }

    @AfterEach
    void close() throws Exception {
        proxy.letGo();
        zooKeeper.close();
        proxy.close();
        time.close();
    }

    private void create(String path) {
        zooKeeper.createInQueue(
                path,
                new byte[] {1},
                Ids.OPEN_ACL_UNSAFE,
                (rc, p, ctx, name, stat) -> told.add(new Told(
                        Codes.of(rc), p, name, stat, Thread.currentThread().getName())));
    }

    private void delete(String path) {
        zooKeeper.delete(
                path,
                (rc, p, ctx) -> told.add(new Told(
                        Codes.of(rc), p, null, null, Thread.currentThread().getName())));
    }

    private Told next() throws InterruptedException {
        return told.poll(A_MINUTE, TimeUnit.SECONDS);
    }

    /** Waits for all that the thread for callbacks has to do. */
    private void nothingElse() throws Exception {
        CountDownLatch through = new CountDownLatch(1);
        zooKeeper.exists("/", false, (int rc, String p, Object ctx, Stat stat) -> through.countDown(), null);
        assertThat(through.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.apache.zookeeper.ClientCnxnSocketNIO", "org.apache.zookeeper.ClientCnxnSocketNetty"})
    void whatIsDoneIsToldOnceByTheThreadThatReadsIt(String socket) throws Exception {
        zooKeeper.close();
        connect(socket);
        create(queue + "/n-");
        Told created = next();
        assertThat(created.code()).isEqualTo(Code.OK);
        assertThat(created.path()).isEqualTo(queue + "/n-");
        assertThat(created.name()).isEqualTo(queue + "/n-0000000000");
        assertThat(created.stat()).isEqualTo(ZOO.get().probe.exists(created.name(), false));
        assertThat(created.stat().getEphemeralOwner()).isEqualTo(zooKeeper.getSessionId());
        assertThat(created.thread()).doesNotContain("EventThread");
        delete(created.name());
        Told deleted = next();
        assertThat(deleted.code()).isEqualTo(Code.OK);
        assertThat(deleted.path()).isEqualTo(created.name());
        assertThat(deleted.thread()).doesNotContain("EventThread");
        assertThat(ZOO.get().probe.exists(created.name(), false)).isNull();
        nothingElse();
    }

    @Test
    void whatIsNotDoneIsToldOnceAsACallback() throws Exception {
        create("/missing/n-");
        Told refused = next();
        assertThat(refused.code()).isEqualTo(Code.NONODE);
        assertThat(refused.thread()).contains("EventThread");
        delete(queue + "/missing");
        assertThat(next().code()).isEqualTo(Code.NONODE);
        nothingElse();
    }

    @Test
    @DisplayName("Where the library's packet queue does not link, its public methods deliver each outcome once")
    void libraryWithoutPacketQueue() throws Exception {
        zooKeeper.close();
        AtomicInteger tried = new AtomicInteger();
        String server = "127.0.0.1:" + proxy.port();
        ConnectAttempts attempts =
                new ConnectAttempts(new StaticHostProvider(new ConnectStringParser(server).getServerAddresses()), time);
        zooKeeper = new EarlyReplyZooKeeper(server, 60_000, event -> {}, false, attempts, new ZKClientConfig()) {
            @Override
            void send(int operation, Record request, Record answer, AsyncCallback late, String path) {
                tried.incrementAndGet();
                throw new NoSuchMethodError("queuePacket");
            }
        };
        await().until(() -> zooKeeper.getState() == ZooKeeper.States.CONNECTED);
        create(queue + "/n-");
        Told created = next();
        assertThat(created.code()).isEqualTo(Code.OK);
        assertThat(created.name()).isEqualTo(queue + "/n-0000000000");
        assertThat(created.thread()).contains("EventThread");
        delete(created.name());
        assertThat(next().code()).isEqualTo(Code.OK);
        assertThat(ZOO.get().probe.exists(created.name(), false)).isNull();
        assertThat(tried).hasValue(1);
        nothingElse();
    }

    @Test
    void aLostConnectionIsToldOnceAsACallback() throws Exception {
        proxy.hold(FaultProxy.Way.ANSWERS);
        create(queue + "/n-");
        await().until(() -> !ZOO.get().probe.getChildren(queue, false).isEmpty());
        delete(queue + "/n-0000000000");
        await().until(() -> ZOO.get().probe.getChildren(queue, false).isEmpty());
        proxy.cut();
        proxy.letGo();
        assertThat(List.of(next().code(), next().code())).containsOnly(Code.CONNECTIONLOSS);
        await().until(() -> zooKeeper.getState() == ZooKeeper.States.CONNECTED);
        nothingElse();
    }
}
