package dev.leasehold.redis.script;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import java.util.OptionalInt;

/**
 * Holder terms are the run, the share and the slot of one holder. The scripts write them as {@code SPARE} for an exclusive
 * one, and as {@code SPARE/SHARE/SLOT} for one of several ({@code holders.lua}). A claim that shares has {@code 0} and its
 * share in place of its run ({@code lock.lua}); an older release leaves that as it is in the hold that it makes of it, an
 * exclusive one.
 *
 * @param slot the slot of a permit, or {@link Grant#NO_SLOT}
 */
public record HolderTerms(int spare, int share, int slot) {

    static final HolderTerms EXCLUSIVE = new HolderTerms(0, Claim.EXCLUSIVE, Grant.NO_SLOT);

    private static final String READER = "00";

    /** A quorum writes this for a claim that shares. */
    private static final String QUORUM_READER = "s";

    /** Reads the terms of a holder. */
    public static HolderTerms parse(String text) {
        String[] parts = text.split("/", -1);
        if (parts.length == 3) {
            return new HolderTerms(Integer.parseInt(parts[0]), share(parts[1]), Integer.parseInt(parts[2]));
        }
        int share = shareOfClaim(text);
        return share == Claim.EXCLUSIVE
                ? new HolderTerms(Integer.parseInt(text), share, Grant.NO_SLOT)
                : new HolderTerms(0, share, Claim.hasSlots(share) ? 0 : Grant.NO_SLOT);
    }

    /** Returns what a claim that shares has in the place of its run; of an exclusive one the run. */
    public static String ofClaim(Claim claim) {
        if (!claim.isShared()) {
            return Integer.toString(claim.spare());
        }
        return claim.share() == Claim.UNLIMITED ? READER : "0" + claim.share();
    }

    /** Reads the share of a claim from what it has in the place of its run. */
    public static int shareOfClaim(String text) {
        if (text.equals(QUORUM_READER)) {
            return Claim.UNLIMITED;
        }
        return text.length() > 1 && text.charAt(0) == '0' ? share(text) : Claim.EXCLUSIVE;
    }

    static int share(String written) {
        int share = Integer.parseInt(written);
        return share == 0 ? Claim.UNLIMITED : share;
    }

    public Grant grant(LeaseId lease) {
        return new Grant(lease, spare, share, slot);
    }

    OptionalInt shownSlot() {
        return slot == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(slot);
    }
}
