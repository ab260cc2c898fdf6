package dev.leasehold.zookeeper;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
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
 * The requests that make, watch and remove the node of a claim. It only asks and reports, within serial, as {@link QueueView}
 * does of the nodes before it; the step of its {@link ZkClaim} decides what follows.
 */
final class ClaimNode {

    /** The answer to a creation. */
    interface Created {

        /**
         * Called within a turn.
         *
         * @param path the node's path, where the code is OK
         * @param stat its record, where the code is OK
         */
        void answered(Code code, String path, Stat stat);
    }

    /** The answer to a listing of the lock's nodes. */
    interface Listed {

        /** Called within a turn. */
        void answered(Code code, @Nullable List<String> children);
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
        byte[] data = new NodeData.Owner(Tokens.spare(claim), owner.get()).bytes();
        in.createInQueue(
                parent + '/' + NodeName.prefix(claim.id(), claim.share()),
                data,
                access.get(),
                (rc, p, ctx, path, stat) -> serial.execute(() -> then.answered(Codes.of(rc), path, stat)));
    }

    /** Sent right after a creation, it shows the queue as it was then, or later. */
    void list(Session in, Listed then) {
        in.handle.getChildren(
                parent,
                false,
                (rc, p, ctx, children) -> serial.execute(() -> then.answered(Codes.of(rc), children)),
                null);
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
        Op made = Op.create(parent + '/' + kept, keep.bytes(), access.get(), CreateMode.PERSISTENT);
        removeAnd(in, child, made, then);
    }

    private void removeAnd(Session in, String child, Op also, Consumer<Code> then) {
        AsyncCallback.MultiCallback done = (rc, p, ctx, results) -> serial.execute(() -> then.accept(Codes.of(rc)));
        in.handle.multi(List.of(Op.delete(parent + '/' + child, -1), also), done, null);
    }

    /** Removes the node that keeps the lock, when its time is over. */
    void removeKept(Session in, String kept, Runnable then) {
        in.handle.delete(parent + '/' + kept, -1, (rc, p, ctx) -> serial.execute(then), null);
    }
}
