package dev.leasehold.zookeeper;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A claim node makes the requests that create, watch and remove the node of a claim. It only asks and reports, in
 * the serial executor, as {@link QueueView} does of the nodes before it; the step of its {@link ZkClaim} decides what
 * follows.
 */
final class ClaimNode {

    /** A created callback receives the answer to a creation. */
    interface Created {

        /**
         * Called in the serial executor.
         *
         * @param path the node's path, where the code is OK
         * @param stat its record, where the code is OK
         */
        void answered(Code code, String path, Stat stat);
    }

    private final SerialExecutor serial;
    private final String parent;
    private final Supplier<List<ACL>> access;
    private final Supplier<String> owner;

    ClaimNode(SerialExecutor serial, String parent, Supplier<List<ACL>> access, Supplier<String> owner) {
        this.serial = serial;
        this.parent = parent;
        this.access = access;
        this.owner = owner;
    }

    void create(Session in, Claim claim, Created then) {
        byte[] data = new NodeData.Owner(Tokens.spare(claim), owner.get(), false).bytes();
        in.createInQueue(
                parent + '/' + NodeName.prefix(claim.id(), claim.share()),
                data,
                access.get(),
                (rc, p, ctx, path, stat) -> serial.execute(() -> then.answered(Codes.of(rc), path, stat)));
    }

    /** Returns what a claim's node contains after it has been let in, or has become a reader's. */
    byte[] news(Claim claim) {
        return new NodeData.Owner(Tokens.spare(claim), owner.get(), true).bytes();
    }

    void write(Session in, String child, byte[] data, Consumer<Code> then) {
        in.handle.setData(
                parent + '/' + child,
                data,
                -1,
                (rc, p, ctx, stat) -> serial.execute(() -> then.accept(Codes.of(rc))),
                null);
    }

    /**
     * Writes the slots into the lock's own node, if that has not been written since they were read, and the claim's node is
     * there.
     *
     * @param news the data written into the claim's node in the same transaction, or null for nothing
     */
    void takeSlot(Session in, String child, SlotTable table, byte @Nullable [] news, Consumer<Code> then) {
        String path = parent + '/' + child;
        Op own = news == null ? Op.check(path, -1) : Op.setData(path, news, -1);
        send(in, List.of(own, Op.setData(parent, table.bytes(), table.version())), then);
    }

    /** Makes a reader of a writer: a second node says so, and those that watch the first are woken. */
    void becomeReader(Session in, String child, byte[] news, Consumer<Code> then) {
        String path = parent + '/' + NodeName.reading(child);
        Op own = Op.setData(parent + '/' + child, news, -1);
        send(in, List.of(own, Op.create(path, new byte[0], access.get(), CreateMode.EPHEMERAL)), then);
    }

    /** Removes what says of a node that it has become a reader's; of no consequence once that is gone itself. */
    void forgetReader(Session in, String child) {
        in.handle.delete(parent + '/' + NodeName.reading(child), -1, (rc, p, ctx) -> {}, null);
    }

    void watch(Session in, String child, Consumer<WatchedEvent> changed, Consumer<Code> then) {
        in.handle.getData(
                parent + '/' + child,
                event -> serial.execute(() -> changed.accept(event)),
                (rc, p, ctx, data, stat) -> serial.execute(() -> then.accept(Codes.of(rc))),
                null);
    }

    void remove(Session in, String child, Consumer<Code> then) {
        in.delete(parent + '/' + child, (rc, p, ctx) -> serial.execute(() -> then.accept(Codes.of(rc))));
    }

    /** Writes the holder that leaves into the lock's own node, in the same transaction. */
    void removeMarking(Session in, String child, Consumer<Code> then) {
        removeAnd(in, child, Op.setData(parent, NodeData.text(child), -1), then);
    }

    /** Leaves behind, in the same transaction, a node that keeps the lock for a while. */
    void removeKeeping(Session in, String child, String kept, NodeData.Keep keep, Consumer<Code> then) {
        removeAnd(in, child, keeping(kept, keep), then);
    }

    /** Removes the node of a writer that has become a reader, and what says so; if it is kept, that is left behind. */
    void removeReader(
            Session in, String child, @Nullable String kept, NodeData.@Nullable Keep keep, Consumer<Code> then) {
        List<Op> all = new ArrayList<>();
        all.add(Op.delete(parent + '/' + child, -1));
        all.add(Op.delete(parent + '/' + NodeName.reading(child), -1));
        if (kept != null && keep != null) {
            all.add(keeping(kept, keep));
        }
        send(in, all, then);
    }

    private Op keeping(String kept, NodeData.Keep keep) {
        return Op.create(parent + '/' + kept, keep.bytes(), access.get(), CreateMode.PERSISTENT);
    }

    private void removeAnd(Session in, String child, Op also, Consumer<Code> then) {
        send(in, List.of(Op.delete(parent + '/' + child, -1), also), then);
    }

    private void send(Session in, List<Op> all, Consumer<Code> then) {
        AsyncCallback.MultiCallback done = (rc, p, ctx, results) -> serial.execute(() -> then.accept(Codes.of(rc)));
        in.handle.multi(all, done, null);
    }

    /** Removes the node that keeps the lock, when its time is over. */
    void removeKept(Session in, String kept, Runnable then) {
        in.handle.delete(parent + '/' + kept, -1, (rc, p, ctx) -> serial.execute(then), null);
    }
}
