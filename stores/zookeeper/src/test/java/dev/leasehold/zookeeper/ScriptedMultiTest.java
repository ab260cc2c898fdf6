package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show that scripted servers answer several reads in one request as a real server does, with the same faults. */
@Tag("slow")
class ScriptedMultiTest {

    private record Told(Code code, String path, @Nullable List<String> results) {}

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String base = "/multi-" + UUID.randomUUID();
    private final BlockingQueue<Told> real = new LinkedBlockingQueue<>();
    private final BlockingQueue<Told> scripted = new LinkedBlockingQueue<>();
    private final ScriptedTree tree = new ScriptedTree(() -> 0);
    private FaultProxy proxy;
    private ZooKeeper client;
    private ScriptedHandle handle;

    @BeforeEach
    void makeTheSameNodes() throws Exception {
        proxy = FaultProxy.to(ZOO.get().port());
        client = new ZooKeeper("127.0.0.1:" + proxy.port(), 60_000, event -> {});
        await().until(() -> client.getState() == ZooKeeper.States.CONNECTED);
        handle = new ScriptedHandle();
        handle.begin(1, tree, line -> {});
        List<ACL> nobodys = Arrays.asList(new ACL(Perms.ALL, new Id("digest", "nobody:x")));
        for (String node : List.of(base, base + "/one", base + "/two", base + "/three", base + "/nobodys")) {
            byte[] data = NodeData.text("data of " + node);
            boolean isOpen = !node.endsWith("nobodys");
            ZOO.get().probe.create(node, data, isOpen ? Ids.OPEN_ACL_UNSAFE : nobodys, CreateMode.PERSISTENT);
            tree.create(node, data, CreateMode.PERSISTENT, 0);
        }
    }

    @AfterEach
    void close() throws Exception {
        proxy.letGo();
        client.close();
        proxy.close();
    }

    private void read(ZooKeeper by, BlockingQueue<Told> to, String... nodes) {
        List<Op> ops = Arrays.stream(nodes)
                .map(node -> node.isEmpty() ? Op.getChildren(base) : Op.getData(base + '/' + node))
                .toList();
        by.multi(
                ops,
                (rc, path, ctx, results) -> to.add(new Told(
                        Codes.of(rc),
                        path,
                        results == null
                                ? null
                                : results.stream().map(ScriptedMultiTest::text).toList())),
                null);
    }

    private static String text(OpResult result) {
        if (result instanceof OpResult.ErrorResult error) {
            return Codes.of(error.getErr()).name();
        }
        return result instanceof OpResult.GetDataResult read
                ? new String(read.getData(), StandardCharsets.UTF_8) + " version "
                        + read.getStat().getVersion()
                : ((OpResult.GetChildrenResult) result)
                        .getChildren().stream().sorted().toList().toString();
    }

    private static Told next(BlockingQueue<Told> from) throws InterruptedException {
        return from.poll(A_MINUTE, TimeUnit.SECONDS);
    }

    private Told theSame() throws InterruptedException {
        Told told = next(real);
        assertThat(next(scripted)).isEqualTo(told);
        return told;
    }

    private void write(String node, String data) throws Exception {
        ZOO.get().probe.setData(base + '/' + node, NodeData.text(data), -1);
        tree.write(base + '/' + node, NodeData.text(data));
    }

    @ParameterizedTest
    @ValueSource(strings = {"one two", "one none", "none one", "none gone", "one  two", "two two none"})
    void eachReadIsAnsweredForItself(String nodes) throws Exception {
        write("two", "written anew");
        read(client, real, nodes.split(" "));
        read(handle, scripted, nodes.split(" "));
        handle.serve(null);
        handle.deliver();
        assertThat(theSame().results()).hasSize(nodes.split(" ").length);
    }

    @Test
    void oneReadOfSeveralIsRefused() throws Exception {
        for (String nodes : List.of("nobodys one", "one nobodys")) {
            read(client, real, nodes.split(" "));
            read(handle, scripted, nodes.split(" "));
            handle.serve(Code.NOAUTH);
            handle.deliver();
            assertThat(theSame().results()).containsOnlyOnce("NOAUTH").contains("data of " + base + "/one version 0");
        }
    }

    @Test
    void aLateAnswerSaysWhatWasReadThen() throws Exception {
        proxy.hold(FaultProxy.Way.ANSWERS);
        read(client, real, "one", "two");
        await().until(() -> proxy.holding() > 0);
        read(handle, scripted, "one", "two");
        handle.serve(null);
        write("one", "written after the answer");
        proxy.letGo();
        handle.deliver();
        assertThat(theSame().results()).contains("data of " + base + "/one version 0");
    }

    @Test
    void ofALostAnswerNothingIsKnown() throws Exception {
        proxy.hold(FaultProxy.Way.ANSWERS);
        read(client, real, "one", "none");
        await().until(() -> proxy.holding() > 0);
        read(handle, scripted, "one", "none");
        handle.serve(null);
        proxy.cut();
        handle.fail(Code.CONNECTIONLOSS);
        assertThat(theSame()).isEqualTo(new Told(Code.CONNECTIONLOSS, null, null));
    }

    @Test
    void anEndedSessionReadsNothing() throws Exception {
        ZOO.get().expire(client.getSessionId());
        await().until(() -> client.getState() == ZooKeeper.States.CLOSED);
        handle.end();
        read(client, real, "one", "two");
        read(handle, scripted, "one", "two");
        assertThat(theSame()).isEqualTo(new Told(Code.SESSIONEXPIRED, null, null));
    }

    /** The fault rules of random runs: what is about no node concerns the whole request. */
    @Test
    void aBusyServerRefusesAllReadsAtOnce() {
        read(handle, scripted, "one", "two");
        handle.serve(Code.THROTTLEDOP);
        handle.deliver();
        assertThat(scripted).containsExactly(new Told(Code.THROTTLEDOP, null, null));
    }
}
