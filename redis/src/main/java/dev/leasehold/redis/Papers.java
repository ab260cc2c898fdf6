package dev.leasehold.redis;

import dev.leasehold.spi.WaitingRules;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what {@code vote.lua} is sent beside the keys: once for all nodes, but for what they told themselves. Thread-safe. */
final class Papers {

    private final String owner;
    private final String rules;
    private volatile @Nullable Paper last;

    Papers(String owner, MarkerRules rules) {
        this.owner = owner;
        this.rules = rules.text();
    }

    /**
     * The paper of a ballot.
     *
     * @param clock what the clock of a node shows, for people who look at the lock
     * @param whomToTell as {@code lock.lua} tells of it; the same for all nodes
     */
    Paper of(Ballot ballot, long clock, String whomToTell) {
        Paper known = last;
        if (known == null || !known.ballot.equals(ballot)) {
            known = new Paper(ballot, clock, whomToTell);
            last = known;
        }
        return known;
    }

    /** What all nodes are sent alike. */
    final class Paper {

        private final Ballot ballot;
        private final byte[] value;
        private final byte[] lease;
        private final byte[] endOfRun;
        private final String rest;

        private Paper(Ballot ballot, long clock, String whomToTell) {
            this.ballot = ballot;
            value = bytes(Reply.beginning(ballot.attempt())
                    + ballot.token()
                    + '|'
                    + ballot.spare()
                    + '|'
                    + clock
                    + '|'
                    + owner);
            lease = bytes(Long.toString(Millis.up(ballot.lease())));
            endOfRun = bytes(Long.toString(ballot.endOfRun()));
            rest = "|" + ballot.kind().code() + '|' + Millis.up(WaitingRules.aliveFor(ballot.lease())) + '|'
                    + Millis.up(WaitingRules.claimPeriod(ballot.lease())) + '|' + rules + '|' + whomToTell;
        }

        /**
         * What one node is sent.
         *
         * @param named the marker as the node has told it; null if it has not, or where that would be of no use
         */
        List<byte[]> to(@Nullable Marker named) {
            byte[] marker = named == null ? new byte[0] : named.bytes();
            byte[] bounded = bytes((named == null ? "0|0" : named.bounds(ballot)) + rest);
            return ballot.spare() == 0
                    ? List.of(value, lease, endOfRun, marker, bounded)
                    : List.of(value, lease, endOfRun, marker, bounded, bytes(Long.toString(ballot.token())));
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }
}
