package dev.leasehold.engine.set;

import dev.leasehold.engine.LockName;
import dev.leasehold.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** A member of a set is one name, and the share with which it is held. */
record Member(LockName name, int share) {

    /** All sets wait for names in this order: that of the names' bytes, which is the same in every process. */
    static final Comparator<Member> ORDER = (one, other) -> Arrays.compareUnsigned(
            one.name().full().getBytes(StandardCharsets.UTF_8),
            other.name().full().getBytes(StandardCharsets.UTF_8));

    /** Returns one member for two of the same name: the exclusive one wins. */
    Member stricter(Member other) {
        return share == Claim.EXCLUSIVE ? this : other;
    }
}
