package dev.leasehold.redis.voter;

import dev.leasehold.internal.WholeMillis;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.script.EncodedArgs;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A ballot encoder encodes the arguments that {@code vote.lua} and {@code release.lua} get beside the keys: once for all
 * nodes. Thread-safe.
 */
public final class BallotEncoder {

    private final String owner;
    private final String rules;
    private volatile @Nullable Encoded last;
    private volatile @Nullable Release lastRelease;

    private record Encoded(Ballot ballot, EncodedArgs args) {}

    private record Release(ClaimId attempt, long token, EncodedArgs args) {}

    public BallotEncoder(String owner, MarkerRules rules) {
        // After a line break the node keeps what else it knows.
        this.owner = owner.replace('\n', ' ');
        this.rules = rules.text();
    }

    /**
     * Returns the arguments of a ballot.
     *
     * @param clock what the clock of a node shows, for people who look at the lock
     * @param whomToTell as {@code lock.lua} tells of it; the same for all nodes
     */
    public EncodedArgs of(Ballot ballot, long clock, String whomToTell) {
        Encoded known = last;
        if (known == null || !known.ballot.equals(ballot)) {
            known = new Encoded(ballot, write(ballot, clock, whomToTell));
            last = known;
        }
        return known.args;
    }

    private EncodedArgs write(Ballot ballot, long clock, String whomToTell) {
        byte[] value = bytes(Reply.beginning(ballot.attempt(), ballot.shares())
                + ballot.token()
                + '|'
                + ballot.spare()
                + '|'
                + clock
                + '|'
                + owner);
        byte[] lease = bytes(Long.toString(WholeMillis.up(ballot.lease())));
        byte[] end = bytes(Long.toString(ballot.endOfRun()));
        byte[] rest = bytes(ballot.kind().code() + "|" + WholeMillis.up(WaitingRules.aliveFor(ballot.lease())) + '|'
                + WholeMillis.up(WaitingRules.claimPeriod(ballot.lease())) + '|' + rules + '|' + whomToTell);
        return ballot.spare() == 0
                ? EncodedArgs.of(value, lease, end, rest)
                : EncodedArgs.of(value, lease, end, rest, bytes(Long.toString(ballot.token())));
    }

    /** Returns the beginning of the lock's value that a release ends. */
    EncodedArgs release(ClaimId attempt, long token) {
        Release known = lastRelease;
        if (known == null || known.token != token || !known.attempt.equals(attempt)) {
            known = new Release(attempt, token, EncodedArgs.of(Reply.beginning(attempt) + token + '|'));
            lastRelease = known;
        }
        return known.args;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
