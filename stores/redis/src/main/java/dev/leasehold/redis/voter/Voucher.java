package dev.leasehold.redis.voter;

import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.script.EncodedArgs;
import dev.leasehold.spi.ClockReading;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A voucher is a master's assurance that it has its vote (see {@code voucher.lua}), with the reading of the master's clock
 * at that time. The master accepts a ballot for a free lock that names the voucher, if the token is above the last, as long
 * as the master has the voucher and is the master that it was; otherwise it reads its marker and everything else anew. So a
 * client may name one that is no longer good. Immutable.
 *
 * @param key as it is sent
 * @param askedAt our monotonic clock before the question was sent
 * @param floor a greater token cannot have been given out before the master had its vote; and, as long as the master has the
 *     voucher, is not behind its clock by half of the longest lease, where it takes the last token from if it has no record
 * @param most a run of tokens that ends here is not too far ahead of the master's clock, even if that is set back a little
 */
public record Voucher(EncodedArgs key, long askedAt, long floor, long most) {

    /**
     * A client names a voucher for this time, by its own clock: about as long as the master keeps it, by its own, which
     * might be set back. {@code voucher.lua} says the same in milliseconds.
     */
    private static final Duration LIFE = Duration.ofSeconds(1);

    /** Tokens between these can be compared as texts. */
    private static final long LEAST = 1_000_000_000_000_000L;

    private static final long MOST = 9_999_999_999_999_999L;

    private static final AtomicLong ASKED_FOR = new AtomicLong();

    /**
     * Returns the key of a voucher that no master was asked for before: a client's id is drawn anew at each start, and the client
     * counts.
     *
     * @param history the master's replication history, as far as the client knows
     */
    static EncodedArgs newKey(MarkerRules rules, String history, String client) {
        return EncodedArgs.of(rules.vouchers() + history + ':' + client + ':' + ASKED_FOR.incrementAndGet());
    }

    /**
     * Returns the voucher that a master has answered with.
     *
     * @param micros the master's clock then; it had its vote
     */
    public static Voucher of(EncodedArgs key, MarkerRules rules, ClockReading sentAt, long micros) {
        long half = rules.halfMicros();
        return new Voucher(
                key,
                sentAt.nanos(),
                Math.max(micros + LIFE.toNanos() / 1000 - half, LEAST),
                Math.min(micros + half / 2, MOST));
    }

    /** Returns the answer that a master does not vouch: it is not asked again for as long as one would last. */
    static Voucher none(EncodedArgs key, ClockReading sentAt) {
        return new Voucher(key, sentAt.nanos(), MOST, 0);
    }

    boolean isFresh(long nanos) {
        return nanos - askedAt < LIFE.toNanos();
    }

    /** Returns whether a ballot may name it, as long as it is fresh. */
    public boolean suits(Ballot ballot) {
        return ballot.token() > floor && ballot.endOfRun() <= most;
    }
}
