package dev.leasehold.redis.node;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A clock stamp is a reading of the client's clocks before a question was sent, which the question itself carries. The
 * server keeps it with the waiter, and sends it back with the grant, as it is. A grant that carries a stamp was made
 * after the question with that stamp had been sent, so it lasts at least until the claim period after the stamp:
 * whatever the server's clock shows, whichever run of the server it is, whatever it had saved and come back with, and
 * however late the message is read or how often. A stamp of an older question than the last one only says less. It is
 * of this client and of this process: a message names the client, whose id is drawn anew each time.
 *
 * <p>Where more than half of the claim period has passed since the stamp, the grant is only a reason to ask: the client
 * puts its question again, and the lease lasts as long as the answer to that question says. The other half is there for
 * the renewal that follows every pushed grant; without it a holder could be notified of a loss while the store still
 * has the lease.
 */
public final class ClockStamp {

    private static final HexFormat HEX = HexFormat.of();
    private static final int DIGITS = 16;

    private ClockStamp() {}

    public static String of(ClockReading reading) {
        return HEX.toHexDigits(reading.nanos()) + HEX.toHexDigits(reading.wallMicros());
    }

    /**
     * Returns how long a grant is valid.
     *
     * @param stamp as it came back
     * @param period the claim period, as the server told it with the grant
     * @param received our monotonic clock when the message was read
     * @return null if it is no stamp, or one from the future, or so old that the client has to ask
     */
    static @Nullable Validity ofPushed(String stamp, Duration period, long received) {
        if (stamp.length() != 2 * DIGITS) {
            return null;
        }
        long nanos;
        long wallMicros;
        try {
            nanos = HexFormat.fromHexDigitsToLong(stamp, 0, DIGITS);
            wallMicros = HexFormat.fromHexDigitsToLong(stamp, DIGITS, 2 * DIGITS);
        } catch (IllegalArgumentException e) {
            return null;
        }
        long age = received - nanos;
        return age < 0 || age > period.toNanos() / 2 ? null : Validity.of(new ClockReading(nanos, wallMicros), period);
    }
}
