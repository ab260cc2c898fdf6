package dev.leasehold.redis;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes what {@code vote.lua} and {@code release.lua} are sent beside the keys: once for all nodes, but for what they told
 * themselves. Thread-safe.
 */
final class Papers {

    private static final Words UNNAMED = Words.of("");

    private final String owner;
    private final String rules;
    private volatile @Nullable Paper last;
    private volatile @Nullable Release lastRelease;

    private record Release(ClaimId attempt, long token, Duration keepFor, Words words) {}

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

    /** What a release is sent, before whom to tell. */
    Words release(ClaimId attempt, long token, Duration keepFor) {
        Release known = lastRelease;
        if (known == null || known.token != token || !known.attempt.equals(attempt) || !known.keepFor.equals(keepFor)) {
            Words words =
                    Words.of(bytes(Reply.beginning(attempt) + token + '|'), bytes(Long.toString(Millis.up(keepFor))));
            known = new Release(attempt, token, keepFor, words);
            lastRelease = known;
        }
        return known.words;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** What all nodes are sent alike. */
    final class Paper {

        private final Ballot ballot;
        private final Words common;
        private final String rest;
        private volatile @Nullable Bounded bounded;

        /** The last argument, for nodes that may accept between the same times. */
        private record Bounded(long from, long until, Words words) {}

        private Paper(Ballot ballot, long clock, String whomToTell) {
            this.ballot = ballot;
            String value = Reply.beginning(ballot.attempt())
                    + ballot.token()
                    + '|'
                    + ballot.spare()
                    + '|'
                    + clock
                    + '|'
                    + owner;
            common = Words.of(
                    bytes(value),
                    bytes(Long.toString(Millis.up(ballot.lease()))),
                    bytes(Long.toString(ballot.endOfRun())));
            rest = "|" + ballot.kind().code() + '|' + Millis.up(WaitingRules.aliveFor(ballot.lease())) + '|'
                    + Millis.up(WaitingRules.claimPeriod(ballot.lease())) + '|' + rules + '|' + whomToTell;
        }

        /**
         * What one node is sent.
         *
         * @param named the marker as the node has told it; null if it has not, or where that would be of no use
         */
        List<Words> to(@Nullable Marker named) {
            Words marker = named == null ? UNNAMED : named.words();
            Words bounds = named == null ? within(0, 0) : within(named.from(ballot), named.until(ballot));
            return ballot.spare() == 0
                    ? List.of(common, marker, bounds)
                    : List.of(common, marker, bounds, Words.of(Long.toString(ballot.token())));
        }

        private Words within(long from, long until) {
            Bounded known = bounded;
            if (known == null || known.from != from || known.until != until) {
                known = new Bounded(from, until, Words.of(from + "|" + until + rest));
                bounded = known;
            }
            return known.words;
        }
    }
}
