package dev.leasehold.redis.node;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A question that a server has answered with its time: the moment at which our clock and the server's are known to lie in
 * this order, ours first.
 *
 * @param run the id of the server's run: another run, or another server, may have another clock
 * @param sentAt our clocks before the question was sent
 * @param serverMicros the server's clock when it answered
 */
record Exchange(String run, ClockReading sentAt, long serverMicros) {

    /**
     * Until when a grant that came unasked may be relied on. The lease ends on the server's clock, and the server's clock
     * had not reached {@code serverMicros} when ours showed {@code sentAt}; so what lies between, counted from {@code
     * sentAt}, ends before the lease does, however late the message is read. Should the server's clock have been set
     * forward since, the claim period bounds what is believed.
     *
     * @param last the last exchange, null if there was none
     * @param run the run of the server that granted
     * @param endMicros the end of the lease, by the clock of that server
     * @param received our monotonic clock when the message was read
     * @param period the claim period
     * @return null if the exchange says nothing about that server
     */
    static @Nullable Validity ofPushed(
            @Nullable Exchange last, String run, long endMicros, long received, Duration period) {
        if (last == null || !last.run.equals(run)) {
            return null;
        }
        long micros = Math.max(0, endMicros - last.serverMicros);
        Validity counted = Validity.of(last.sentAt, Duration.ofNanos(Math.multiplyExact(micros, 1000L)));
        long latest = received + period.toNanos();
        return counted.deadline() - latest <= 0 ? counted : new Validity(last.sentAt, latest);
    }
}
