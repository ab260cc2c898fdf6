package dev.leasehold.testkit;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A hold record says what became of one caller's request for a lock, as that caller saw it. All times are nanoseconds on
 * one clock that the whole history shares.
 *
 * <p>A record must not claim more than its writer knew: {@code acquiredAt} is read first and counts only if the lease is
 * seen to be valid <b>after</b> that reading; {@code endedAt} is read <b>before</b> the hold is ended. So a writer that is
 * stopped between any two steps writes a hold that is too short, never one that is too long.
 *
 * @param client who asked: one per {@code Leasehold} object
 * @param lock the lock's name
 * @param token the fencing token; 0 where the lock was not acquired
 * @param requestedAt when it was asked for
 * @param acquiredAt when it was acquired; for {@link End#GIVEN_UP} the same as {@code endedAt}
 * @param endedAt until when the caller believed that it had the lock, or when it stopped waiting; {@link #NEVER} for {@link
 *     End#OPEN}
 * @param deadline the latest moment up to which the lease ever said that it would be valid, or {@link #NEVER} where that is
 *     not known
 * @param end how it ended
 * @param share with how many at most, itself included, it coexists: 1 for an exclusive hold, {@link Integer#MAX_VALUE} for a
 *     reader
 * @param slot the slot of a permit, or -1
 */
public record HoldRecord(
        String client,
        String lock,
        long token,
        long requestedAt,
        long acquiredAt,
        long endedAt,
        long deadline,
        End end,
        int share,
        int slot) {

    /** Later than every moment. */
    public static final long NEVER = Long.MAX_VALUE;

    /** An end says how a request ended. */
    public enum End {
        /** The caller gave the lock back, and it was its own until then. */
        RELEASED,
        /** The caller learned that the lock is lost. */
        LOST,
        /** The caller's process died. */
        CRASHED,
        /** The history ends before the hold. */
        OPEN,
        /** The lock was never acquired: busy, failed, cancelled, or still waiting when the history ended. */
        GIVEN_UP
    }

    /** Checks the parts. */
    public HoldRecord {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(end, "end");
    }

    /** Records an exclusive hold, or a request for one. */
    public HoldRecord(
            String client,
            String lock,
            long token,
            long requestedAt,
            long acquiredAt,
            long endedAt,
            long deadline,
            End end) {
        this(client, lock, token, requestedAt, acquiredAt, endedAt, deadline, end, 1, -1);
    }

    /**
     * Records a request that never got the lock.
     *
     * @param client who asked
     * @param lock the lock's name
     * @param requestedAt when
     * @param endedAt when it stopped waiting
     * @return the record
     */
    public static HoldRecord givenUp(String client, String lock, long requestedAt, long endedAt) {
        return new HoldRecord(client, lock, 0, requestedAt, endedAt, endedAt, NEVER, End.GIVEN_UP);
    }

    /** {@return whether the lock was acquired; false for {@link End#GIVEN_UP}} */
    public boolean isHold() {
        return end != End.GIVEN_UP;
    }

    /** {@return the record on one line without its end, for a log} */
    public String toLine() {
        return String.join(
                " ",
                URLEncoder.encode(client, StandardCharsets.UTF_8),
                URLEncoder.encode(lock, StandardCharsets.UTF_8),
                Long.toString(token),
                Long.toString(requestedAt),
                Long.toString(acquiredAt),
                Long.toString(endedAt),
                Long.toString(deadline),
                end.name(),
                Integer.toString(share),
                Integer.toString(slot));
    }

    /**
     * Reads what {@link #toLine()} wrote.
     *
     * @param line the line
     * @return the record
     * @throws IllegalArgumentException if the line is no record
     */
    public static HoldRecord parse(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length != 10) {
            throw new IllegalArgumentException("not a hold record: '" + line + "'");
        }
        return new HoldRecord(
                URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
                URLDecoder.decode(parts[1], StandardCharsets.UTF_8),
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                Long.parseLong(parts[5]),
                Long.parseLong(parts[6]),
                End.valueOf(parts[7]),
                Integer.parseInt(parts[8]),
                Integer.parseInt(parts[9]));
    }
}
