package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.test.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** One client whose requests a test has carried out and answered one by one, and strangers' nodes in the queue of its lock. */
abstract class OneScriptedClient {

    static final String PATH = "/leasehold/locks/l";
    static final String NEWS = "+0\nstranger";

    final VirtualTime time = new VirtualTime();
    final ScriptedTree tree = new ScriptedTree(() -> time.now().wallMicros() / 1_000);
    final List<Grant> granted = new ArrayList<>();
    final List<Integer> places = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    final ScriptedHandle handle;
    final OpenZooKeeperStore store;
    CuratorConnection.@Nullable Events events;

    OneScriptedClient() {
        try {
            handle = new ScriptedHandle();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        handle.begin(1, tree, log::add);
        Signals signals = new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                granted.add(grant);
            }

            @Override
            public void doubt(@Nullable String lock) {}
        };
        StoreContext context = new StoreContext("c", "c", "", time, Duration.ofSeconds(5), signals);
        store = new OpenZooKeeperStore("scripted", context, new Paths("", ""), new CuratorConnection() {
            @Override
            public void start(Events heard) {
                events = heard;
                heard.connected(handle);
            }

            @Override
            public boolean isOwn() {
                return true;
            }

            @Override
            public ClockReading connectedSince(ZooKeeper of) {
                return time.now();
            }

            @Override
            public void close() {}
        });
    }

    @BeforeEach
    void makeTheLocksNode() throws Exception {
        for (String path : new String[] {"/leasehold", "/leasehold/locks", PATH}) {
            tree.create(path, new byte[0], CreateMode.PERSISTENT, 0);
        }
        tree.write(PATH, NodeData.text("1-c-1-0000000001"));
    }

    String stranger(int share) throws Exception {
        String begin = PATH
                + '/'
                + NodeName.prefix(new ClaimId("s", tree.children(PATH).size() + 1), share);
        return tree.create(begin, NodeData.text("0\nstranger"), CreateMode.EPHEMERAL_SEQUENTIAL, 9);
    }

    String own() throws Exception {
        return tree.children(PATH).stream()
                .filter(each -> each.contains("-c-"))
                .findFirst()
                .orElseThrow();
    }

    /** Until the listing was answered; what the claim does with it waits in the handle. */
    void claimAndStop(int share) throws Exception {
        store.claim(new Claim(new ClaimId("c", 1), "l", share, Duration.ofMinutes(10), true))
                .whenComplete((answer, failure) -> {
                    if (answer instanceof ClaimAnswer.Granted granted) {
                        this.granted.add(new Grant(granted.lease(), 0, share, granted.slot()));
                    }
                    note(answer);
                });
        while (!handle.hasListed()) {
            handle.serve(null);
        }
        while (handle.deliver()) {}
    }

    void note(@Nullable ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Busy busy) {
            places.add(busy.place());
        }
    }

    void goOn() {
        for (int i = 0; i < 30; i++) {
            handle.serve(null);
            while (handle.deliver()) {}
        }
    }

    /** Until the node is there; the listing beside the creation is late. */
    void claimAndStopBeforeTheListing(int share) throws Exception {
        store.claim(new Claim(new ClaimId("c", 1), "l", share, Duration.ofMinutes(10), true))
                .whenComplete((answer, failure) -> {
                    if (answer instanceof ClaimAnswer.Granted granted) {
                        this.granted.add(new Grant(granted.lease(), 0, share, granted.slot()));
                    }
                });
        while (tree.children(PATH).stream().noneMatch(each -> each.contains("-c-"))) {
            handle.serve(null);
        }
        assertThat(handle.hasListed()).isFalse();
    }
}
