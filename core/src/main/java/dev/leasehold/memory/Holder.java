package dev.leasehold.memory;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A holder is one lease of a lock: of a claim until it is released or runs out; of nobody while it is kept after its
 * release. Each has its own end, share and slot.
 */
record Holder(
        @Nullable ClaimId claim, String owner, long token, int spare, int share, int slot, long sinceMicros, long end) {

    boolean isOver(ClockReading now) {
        return now.nanos() - end >= 0;
    }

    boolean isLease(LeaseId lease) {
        return token == lease.token() && lease.claim().equals(claim);
    }

    boolean runContains(long candidate) {
        return candidate >= token && candidate <= token + spare;
    }

    Holder lasting(long minHoldUntil) {
        return minHoldUntil - end <= 0
                ? this
                : new Holder(claim, owner, token, spare, share, slot, sinceMicros, minHoldUntil);
    }

    Holder kept(long until) {
        return new Holder(null, "", token, spare, share, slot, sinceMicros, until);
    }

    /** Returns a reader in place of a writer; a share is only ever loosened. */
    Holder downgraded() {
        return share != Claim.EXCLUSIVE
                ? this
                : new Holder(claim, owner, token, spare, Claim.UNLIMITED, slot, sinceMicros, end);
    }

    Duration left(ClockReading now) {
        return Duration.ofNanos(end - now.nanos());
    }

    Validity validity(ClockReading now) {
        return Validity.of(now, left(now));
    }

    HolderInfo info(ClockReading now) {
        Duration left = left(now);
        return new HolderInfo(
                owner,
                token,
                share,
                slot == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(slot),
                Times.instant(sinceMicros),
                Times.instant(now.wallMicros()).plus(left),
                left);
    }
}
