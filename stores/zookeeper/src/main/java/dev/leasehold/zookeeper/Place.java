package dev.leasehold.zookeeper;

import dev.leasehold.spi.Claim;
import java.util.List;

/**
 * A place is that of a claim in the queue of a lock: the nodes before it, and what follows from them alone. Immutable.
 *
 * <p>A node holds the lock if and only if its place, counted from 1, is at most its own share and the share of each
 * node before it. That is the rule of admission (the first that waits comes in if the number of the holders, itself
 * included, is at most its share and each holder's; then the next, until the first that does not fit): what it has let
 * in is always the beginning of the queue. So the servers need not note who holds; a client that sees the queue sees
 * the holders, and all clients see the same ones.
 *
 * <p>Why one look is enough. New nodes come in at the end, since numbers grow. When a node goes, those behind it move up by
 * one, and fewer shares are before them. A share is only ever loosened, when a writer becomes a reader. So who holds goes on
 * holding until its own node is gone, however old the look was.
 * A lock that is kept after a release has a node, too, with the share of the lease that was released, and it counts as the
 * first, wherever that lease's node stood. It replaces a holder in the same transaction, and among holders the order does not
 * matter: each of their shares is at least the number of all of them.
 *
 * <p>So claims are let in in the order of their nodes' creation, and the transactions that created them are tokens in that
 * order, for claims of every share.
 *
 * @param before the nodes before the claim's: kept ones, then claims in their order
 * @param share the claim's own
 */
record Place(List<Node> before, int share) {

    /**
     * A node is one in the queue.
     *
     * @param share that of its name; unlimited for a writer that has become a reader
     */
    record Node(String name, int share) {

        boolean isExclusive() {
            return NodeName.isExclusive(share);
        }

        boolean isPermit() {
            return Claim.hasSlots(share);
        }
    }

    /** A watch says why a claim that waits watches the nodes that it watches. */
    enum Watch {
        /** While this exclusive node is there, the claim cannot hold. For an exclusive claim any node right before it is one. */
        OBSTACLE,
        /** The claim is the first that waits: each of these holders makes room when it goes. */
        HOLDERS,
        /** The node right before the claim waits as well. It writes itself when it is let in. */
        PREDECESSOR
    }

    /** Copies the list. */
    Place {
        before = List.copyOf(before);
    }

    /** Returns how many of a queue's nodes hold the lock: so many at its beginning. */
    static int holders(List<Node> queue) {
        int smallest = Integer.MAX_VALUE;
        int holders = 0;
        for (Node each : queue) {
            smallest = Math.min(smallest, each.share());
            if (holders + 1 > smallest) {
                break;
            }
            holders++;
        }
        return holders;
    }

    boolean holds() {
        int place = before.size() + 1;
        return place <= share && before.stream().allMatch(each -> place <= each.share());
    }

    /** Returns the place among those who wait, 1 for the first. */
    int amongWaiters() {
        return before.size() - holders(before) + 1;
    }

    /** Returns whether a single holder is in the claim's way, apart from those who wait. */
    boolean isForOneHolder() {
        return holders(before) == 1
                && (NodeName.isExclusive(share) || before.get(0).isExclusive());
    }

    /** Returns why a claim that waits watches {@link #watched}. */
    Watch watch() {
        if (NodeName.isExclusive(share) || isBehindItsObstacle()) {
            return Watch.OBSTACLE;
        }
        return amongWaiters() == 1 ? Watch.HOLDERS : Watch.PREDECESSOR;
    }

    /**
     * Returns the nodes that a claim that waits watches, of which there is one at least.
     *
     * <p>An exclusive claim watches the node right before it. A shared one watches the nearest exclusive one, if it fits as soon
     * as that has gone. So readers do not look at each other: behind a writer they all wait for that writer, and each
     * comes in as soon as it has gone, without any other having to wake up first; and so do as many permits as there are. The
     * others wait in a chain, so that a release wakes the claims that it lets in, and one more, however many wait.
     */
    List<String> watched() {
        return switch (watch()) {
            case OBSTACLE ->
                List.of(before.get(NodeName.isExclusive(share) ? before.size() - 1 : lastExclusive())
                        .name());
            case HOLDERS -> before.stream().map(Node::name).toList();
            case PREDECESSOR -> List.of(before.get(before.size() - 1).name());
        };
    }

    /**
     * Returns whether nothing but readers is between the claim and the node that it watches, so that it is let in if that node's
     * holder had the lock alone.
     */
    boolean followsItsObstacle() {
        return NodeName.isExclusive(share)
                || (!Claim.hasSlots(share) && isBehindItsObstacle() && !hasPermit(behindTheLastExclusive()));
    }

    /**
     * Returns whether the claim watches the last exclusive node before it. Claims that do not fit there have no
     * announcement to wait for if only readers are before them: then it is the writer.
     */
    private boolean isBehindItsObstacle() {
        List<Node> between = behindTheLastExclusive();
        return lastExclusive() >= 0 && (!hasPermit(between) || new Place(between, share).holds());
    }

    boolean hasPermits() {
        return hasPermit(before);
    }

    private static boolean hasPermit(List<Node> nodes) {
        return nodes.stream().anyMatch(Node::isPermit);
    }

    private List<Node> behindTheLastExclusive() {
        return before.subList(lastExclusive() + 1, before.size());
    }

    private int lastExclusive() {
        int last = before.size() - 1;
        while (last >= 0 && !before.get(last).isExclusive()) {
            last--;
        }
        return last;
    }
}
