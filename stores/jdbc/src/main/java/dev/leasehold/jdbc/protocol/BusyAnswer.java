package dev.leasehold.jdbc.protocol;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.OptionalInt;

/** A busy answer says which holder is in the way of a claim, and for how long at most if nobody renews. */
public final class BusyAnswer {

    private BusyAnswer() {}

    /** Makes the answer to a claim with this share, at this place in the queue. */
    public static ClaimAnswer of(Holders holders, int share, int place, TxContext now) {
        if (holders.isEmpty()) {
            return new ClaimAnswer.Busy(null, null, place);
        }
        StoredLease inTheWay = holders.lastInTheWayOf(share);
        HolderInfo shown = holder(inTheWay == null ? holders.all().get(0) : inTheWay, now);
        return new ClaimAnswer.Busy(shown, inTheWay == null ? Duration.ZERO : shown.timeLeft(), place);
    }

    static HolderInfo holder(StoredLease held, TxContext now) {
        boolean open = held.isOpenEnded();
        return new HolderInfo(
                held.owner(),
                held.token(),
                held.share(),
                held.slot() == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(held.slot()),
                TxContext.instant(held.since()),
                open ? null : now.wallAt(held.ends()),
                open ? null : now.until(held.ends()));
    }
}
