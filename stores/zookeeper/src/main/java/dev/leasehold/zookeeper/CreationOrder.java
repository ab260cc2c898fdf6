package dev.leasehold.zookeeper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;

/**
 * A creation order is that of the nodes by the transactions that created them, for queues where sequence numbers do not
 * tell it: each node is looked at. That is slow, and needed only after some two thousand million claims of one lock
 * without a pause.
 */
final class CreationOrder {

    private record Aged(String name, long czxid) {}

    private final List<Aged> before = new ArrayList<>();
    private final long mine;
    private final BiConsumer<Code, List<String>> done;
    private int missing;
    private Code worst = Code.OK;

    private CreationOrder(long mine, int missing, BiConsumer<Code, List<String>> done) {
        this.mine = mine;
        this.missing = missing;
        this.done = done;
    }

    /**
     * Finds the nodes that were made before a given transaction, oldest first. Answers come on the handle's thread. If one of all
     * has gone since they were listed, the code is NONODE: a node may have taken its place that was not listed.
     */
    static void of(
            ZooKeeper handle, String parent, List<NodeName> all, long mine, BiConsumer<Code, List<String>> done) {
        CreationOrder order = new CreationOrder(mine, all.size(), done);
        for (NodeName each : all) {
            handle.exists(
                    parent + '/' + each.name(),
                    false,
                    (rc, p, ctx, stat) -> order.add(each.name(), Codes.of(rc), stat == null ? 0 : stat.getCzxid()),
                    null);
        }
    }

    private void add(String name, Code code, long czxid) {
        if (code == Code.OK && czxid < mine) {
            before.add(new Aged(name, czxid));
        } else if (code != Code.OK && worst != Code.NONODE) {
            worst = code;
        }
        if (--missing == 0) {
            before.sort(Comparator.comparingLong(Aged::czxid));
            done.accept(worst, before.stream().map(Aged::name).toList());
        }
    }
}
