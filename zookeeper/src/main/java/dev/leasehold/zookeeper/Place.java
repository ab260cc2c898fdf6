package dev.leasehold.zookeeper;

import java.util.List;

/**
 * The place of a claim in the queue of a lock: the nodes before it, and what follows from them alone. Immutable.
 *
 * <p>A node holds the lock if and only if its place, counted from 1, is at most its own share and the share of each node before
 * it. That is the rule of admission (the first that waits comes in if the number of the holders, itself included, is at most
 * its share and each holder's; then the next, until the first that does not fit): what it has let in is always the beginning
 * of the queue. So the servers need not note who holds; whoever sees the queue sees the holders, and all see the same ones.
 *
 * <p>Why one look is enough. New nodes come in at the end, since numbers grow. When a node goes, those behind it move up by
 * one, and fewer shares are before them. So who holds goes on holding until its own node is gone, however old the look was.
 * A lock that is kept after a release has a node, too, with the share of the lease that was released, and it counts as the
 * first, wherever that lease's node stood. It replaces a holder in the same transaction, and among holders the order does not
 * matter: each of their shares is at least the number of all of them.
 *
 * @param before the nodes before the claim's: kept ones, then claims in their order
 * @param share the claim's own
 */
record Place(List<String> before, int share) {

    /** Copies the list. */
    Place {
        before = List.copyOf(before);
    }

    /** Returns how many of a queue's nodes hold the lock: so many at its beginning. */
    static int holders(List<String> queue) {
        int smallest = Integer.MAX_VALUE;
        int holders = 0;
        for (String name : queue) {
            smallest = Math.min(smallest, NodeName.shareOf(name));
            if (holders + 1 > smallest) {
                break;
            }
            holders++;
        }
        return holders;
    }

    boolean holds() {
        int place = before.size() + 1;
        return place <= share && before.stream().allMatch(name -> place <= NodeName.shareOf(name));
    }

    /** Returns the place among those who wait, 1 for the first. */
    int amongWaiters() {
        return before.size() - holders(before) + 1;
    }

    /** Returns whether a single holder is in the claim's way, apart from those who wait. */
    boolean isForOneHolder() {
        return holders(before) == 1
                && (NodeName.isExclusive(share) || NodeName.isExclusive(NodeName.shareOf(before.get(0))));
    }

    /**
     * Returns the node that has to be gone before the claim can hold: for an exclusive claim that right before it, for a reader
     * the nearest exclusive one. Readers do not look at each other: behind a writer they all wait for that writer, and each
     * comes in as soon as it has gone, without any other having to wake up first.
     */
    String blocker() {
        for (int i = before.size() - 1; i >= 0; i--) {
            String name = before.get(i);
            if (NodeName.isExclusive(share) || NodeName.isExclusive(NodeName.shareOf(name))) {
                return name;
            }
        }
        throw new IllegalStateException("nothing is in the way");
    }
}
