package dev.leasehold.simulator;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.time.Duration;

/** A simulated request is a request to a node: an operation of the store contract, as data. */
public sealed interface SimRequest {

    /** {@return the name of the lock that it is about} */
    String lock();

    /**
     * Asks for a lock.
     *
     * @param claim the claim
     * @param owner who claims, in words
     * @param stamp the asker's own clocks, read before it was sent
     */
    record Ask(Claim claim, String owner, ClockReading stamp) implements SimRequest {
        @Override
        public String lock() {
            return claim.lock();
        }
    }

    /**
     * Moves the end of a lease.
     *
     * @param lease the lease
     * @param duration from now
     */
    record Renew(LeaseId lease, Duration duration) implements SimRequest {
        @Override
        public String lock() {
            return lease.lock();
        }
    }

    /**
     * Makes a reader of a writer, and moves the end of its lease.
     *
     * @param lease the lease
     * @param duration from now
     */
    record Downgrade(LeaseId lease, Duration duration) implements SimRequest {
        @Override
        public String lock() {
            return lease.lock();
        }
    }

    /**
     * Ends a lease.
     *
     * @param lease the lease
     * @param keepFor how long the lock stays taken
     */
    record Release(LeaseId lease, Duration keepFor) implements SimRequest {
        @Override
        public String lock() {
            return lease.lock();
        }
    }

    /**
     * Gives a claim up.
     *
     * @param lock the lock's name
     * @param claim the claim
     */
    record Withdraw(String lock, ClaimId claim) implements SimRequest {}

    /**
     * Ends the lease to whose run a token belongs.
     *
     * @param lock the lock's name
     * @param token the token
     */
    record Break(String lock, long token) implements SimRequest {}
}
