package dev.leasehold.redis;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A model holder is one who holds a lock on a master of a quorum, or for whom it is kept. */
final class ModelHolder {

    /** Null where it is kept without a holder. */
    @Nullable ClaimId attempt;

    boolean shares;
    long token;
    int spare;
    long end;

    ModelHolder(@Nullable ClaimId attempt, boolean shares, long token, int spare, long end) {
        this.attempt = attempt;
        this.shares = shares;
        this.token = token;
        this.spare = spare;
        this.end = end;
    }

    ModelHolder copy() {
        return new ModelHolder(attempt, shares, token, spare, end);
    }

    boolean is(ClaimId other, long withToken) {
        return other.equals(attempt) && token == withToken;
    }

    HolderInfo info() {
        int share = shares ? Claim.UNLIMITED : Claim.EXCLUSIVE;
        return new HolderInfo(name(), token, share, OptionalInt.empty(), null, null, null);
    }

    String name() {
        return attempt == null ? "" : attempt.toString();
    }
}
