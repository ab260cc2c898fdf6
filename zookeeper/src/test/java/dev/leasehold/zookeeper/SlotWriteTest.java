package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** A client stops after it has seen that a permit is its own, and writes its slot when all has changed. */
class SlotWriteTest {

    private static final String PATH = "/leasehold/locks/l";

    private final VirtualTime time = new VirtualTime();
    private final ScriptedTree tree = new ScriptedTree(() -> time.now().wallMicros() / 1_000);

    private ScriptedHandle stoppedBeforeItsSlotIsWritten() throws Exception {
        for (String path : new String[] {"/leasehold", "/leasehold/locks", PATH}) {
            tree.create(path, new byte[0], CreateMode.PERSISTENT, 0);
        }
        tree.write(PATH, NodeData.text("1-c-1-0000000001"));
        ScriptedHandle handle = new ScriptedHandle();
        handle.begin(1, tree, line -> {});
        StoreContext context = new StoreContext("c", "c", "", time, Duration.ofSeconds(5), new NoSignals());
        OpenZooKeeperStore store =
                new OpenZooKeeperStore("scripted", context, new Paths("", ""), new CuratorConnection() {
                    @Override
                    public void start(Events heard) {
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
        store.claim(new Claim(new ClaimId("c", 1), "l", 3, Duration.ofMinutes(10), true));
        while (tree.children(PATH).isEmpty() || !handle.isIdle()) {
            handle.serve(null);
            boolean hasListed = tree.children(PATH).size() == 1 && handle.isAllCarriedOut();
            while (handle.deliver()) {}
            if (hasListed) {
                break;
            }
        }
        return handle;
    }

    private static void goOn(ScriptedHandle handle) {
        for (int i = 0; i < 20; i++) {
            handle.serve(null);
            while (handle.deliver()) {}
        }
    }

    @Test
    void theSlotIsWrittenIfNothingHasChanged() throws Exception {
        ScriptedHandle handle = stoppedBeforeItsSlotIsWritten();
        assertThat(SlotTable.read(tree.read(PATH), 0).slots()).isEmpty();
        goOn(handle);
        String own = tree.children(PATH).get(0);
        assertThat(SlotTable.read(tree.read(PATH), 0).of(own)).isZero();
    }

    /** Somebody has broken its lease, the lock's node was removed, and made anew with as many writes. */
    @Test
    void theTableOfALocksNodeThatWasMadeAnewIsNotOverwritten() throws Exception {
        ScriptedHandle handle = stoppedBeforeItsSlotIsWritten();
        tree.delete(PATH + '/' + tree.children(PATH).get(0));
        tree.delete(PATH);
        tree.create(PATH, new byte[0], CreateMode.PERSISTENT, 0);
        String other = "2-3-d-1-0000000000";
        tree.create(PATH + "/2-3-d-1-", new byte[0], CreateMode.EPHEMERAL_SEQUENTIAL, 2);
        tree.write(PATH, NodeData.text("0 " + other + '\n'));
        assertThat(tree.stat(PATH).getVersion()).isEqualTo(1);
        goOn(handle);
        assertThat(SlotTable.read(tree.read(PATH), 0).of(other)).isZero();
    }
}
