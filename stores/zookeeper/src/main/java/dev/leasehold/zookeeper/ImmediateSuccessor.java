package dev.leasehold.zookeeper;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An immediate successor knows without a listing that a new node is the first in its queue, where nobody came since a
 * node of ours was. Used within the client's serial executor.
 *
 * <p>Why that can be known. The number at the end of a node's name counts what was ever created under the lock's node; deletions
 * do not count. A node of ours that had the lock alone was first: nothing with a lower number was there, and nothing with a lower
 * number can come. Once it is gone (the servers have said so), whatever stands in the queue has a higher number. If the next
 * node of ours has the very next number, nothing does but itself. A kept lock is no exception: what keeps it is a node, too.
 *
 * <p>Why it is the same lock's node. The servers remove it when it is empty, and the next who comes makes it again; then
 * numbers begin at 0, and the next number may come up once more, behind others who are all still there. But not at once. After
 * the creation of our node with the number {@code n}, each of these took a transaction: the removal of our node, that of the
 * lock's node, the making of the new one, the {@code n + 1} creations with the numbers 0 to {@code n}, and the one that is now
 * ours. Transactions have ids that grow, and a node says which one created it. So if the ids of our two nodes are less than
 * {@code n + 5} apart, there was no room for all that. Where numbers run over, there is less room still. (It is taken for
 * granted that no transaction creates two nodes in a lock's queue: none of Leasehold's does.)
 *
 * <p>This speaks of what the ensemble has done, in its order, and of nothing else: not of when answers or events come, of
 * clocks, of connections. It is kept for one session nevertheless, because its client refuses servers that know less than
 * it has seen.
 *
 * <p>A listing beside the creation is cheaper than one after it. So it is left out only where it has just turned out to be
 * superfluous; where others use the lock too, nothing is lost.
 */
final class ImmediateSuccessor {

    /** So many locks' last nodes are remembered. */
    static final int MOST = 1_000;

    private record Last(Session in, NodeName node, long czxid, boolean followed) {}

    private final Map<String, Last> lasts = new LinkedHashMap<>();

    /** Returns whether the next node of a lock's queue will probably be known to be the first. */
    boolean isLikely(Session in, String lock) {
        Last last = lasts.get(lock);
        return last != null && last.followed && last.in == in;
    }

    /**
     * Returns whether a new node is certainly the first in the queue. Each node that has left is good for one answer.
     */
    boolean follows(Session in, String lock, NodeName next, long czxid) {
        Last last = lasts.remove(lock);
        if (last == null || last.in != in || last.node.isWorn() || next.isWorn()) {
            return false;
        }
        int number = last.node.sequence();
        long transactions = czxid - last.czxid;
        return next.sequence() == number + 1 && transactions > 0 && transactions < number + 5L;
    }

    /**
     * Notes that a node of ours is gone that was first in its queue, since it had the lock alone.
     *
     * @param followed whether {@link #follows} was true of it
     */
    void left(Session in, String lock, NodeName node, long czxid, boolean followed) {
        lasts.remove(lock);
        lasts.put(lock, new Last(in, node, czxid, followed));
        if (lasts.size() > MOST) {
            Iterator<Last> oldest = lasts.values().iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
