package dev.leasehold.redis;

import dev.leasehold.redis.quorum.Ballot;
import java.time.Duration;

/**
 * A simulated voucher is one as a client of the simulation keeps it: like {@code Voucher}, but for a time that fits to the
 * simulation's short leases.
 *
 * @param askedAt the client's monotonic clock before it asked
 * @param floor a token must be above
 * @param most the end of a run must not be above
 * @param life for how long the client names it, in nanoseconds
 */
record SimulatedVoucher(String name, long askedAt, long floor, long most, long life) {

    static SimulatedVoucher of(String name, long askedAt, long micros, Duration maxLease, Duration life) {
        long half = maxLease.toNanos() / 2000;
        return new SimulatedVoucher(
                name, askedAt, micros + life.toNanos() / 1000 - half, micros + half / 2, life.toNanos());
    }

    boolean isFresh(long nanos) {
        return nanos - askedAt < life;
    }

    boolean suits(Ballot ballot) {
        return ballot.token() > floor && ballot.endOfRun() <= most;
    }
}
