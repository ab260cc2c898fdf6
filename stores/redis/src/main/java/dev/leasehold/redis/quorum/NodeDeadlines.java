package dev.leasehold.redis.quorum;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Node deadlines tell until when each node of a quorum keeps a lease. The lease's own deadline is the majority-th largest of
 * them: up to then a majority still has it, and any other majority shares a node with that one. Not thread-safe.
 */
final class NodeDeadlines {

    private final int majority;
    private final @Nullable Validity[] nodes;

    NodeDeadlines(int majority, @Nullable Validity[] nodes) {
        this.majority = majority;
        this.nodes = nodes.clone();
    }

    /** A node has confirmed. Its end never moves back, so of two confirmations the one that lasts longer is right. */
    void confirm(int node, Validity validity) {
        Validity known = nodes[node];
        if (known == null || validity.length() > known.nanosLeft(validity.sentAt())) {
            nodes[node] = validity;
        }
    }

    /** A node has said that it does not have the lease. */
    void gone(int node) {
        nodes[node] = null;
    }

    /**
     * Returns the lease's validity, as a round of questions has confirmed it.
     *
     * @param round our clocks before the first question of the round was sent
     * @param mostApart how far apart the two clocks may have moved between a node's confirmation and the round; what was
     *     confirmed across a greater jump is worth nothing
     * @return null if fewer than a majority have it
     */
    @Nullable Validity ofMajority(ClockReading round, long mostApart) {
        List<Validity> there = new ArrayList<>(nodes.length);
        for (Validity node : nodes) {
            if (node != null && round.divergenceSince(node.sentAt()) <= mostApart) {
                there.add(node);
            }
        }
        there.sort(Comparator.comparingLong(node -> node.nanosLeft(round)));
        int index = there.size() - majority;
        if (index < 0) {
            return null;
        }
        Validity decisive = there.get(index);
        boolean ofThisRound = decisive.sentAt().nanos() - round.nanos() >= 0;
        return ofThisRound ? decisive : new Validity(round, round.nanos() + decisive.nanosLeft(round));
    }
}
