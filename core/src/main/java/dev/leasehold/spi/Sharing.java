package dev.leasehold.spi;

import java.util.Objects;

/**
 * Sharing says which shares a store grants, and why not the others. Immutable.
 *
 * @param shares which shares it grants
 * @param whyNotAll why it does not grant the others, as the end of a sentence: it follows "the store … has no semaphores:
 *     ". Empty if it grants all
 * @param whyNoDowngrade why it cannot make a reader of a writer, as the end of a sentence; empty if it can
 */
public record Sharing(Shares shares, String whyNotAll, String whyNoDowngrade) {

    /** Shares are those that a store grants. */
    public enum Shares {
        /** The store grants every share: mutexes, semaphores, readers and writers. */
        ALL,
        /** The store grants exclusive and unlimited shares: mutexes, readers and writers, but no semaphores. */
        READ_WRITE,
        /** The store grants exclusive shares only: mutexes. */
        EXCLUSIVE
    }

    /** Checks the parts. */
    public Sharing {
        Objects.requireNonNull(shares, "shares");
        Objects.requireNonNull(whyNotAll, "whyNotAll");
        Objects.requireNonNull(whyNoDowngrade, "whyNoDowngrade");
    }

    /** {@return every share, and downgrades} */
    public static Sharing all() {
        return new Sharing(Shares.ALL, "", "");
    }

    /**
     * Returns readers and writers, and downgrades.
     *
     * @param whyNotAll why there are no semaphores
     */
    public static Sharing readWrite(String whyNotAll) {
        return new Sharing(Shares.READ_WRITE, whyNotAll, "");
    }

    /**
     * Returns exclusive locks alone.
     *
     * @param whyNotAll why locks are not shared there
     */
    public static Sharing exclusiveOnly(String whyNotAll) {
        return new Sharing(Shares.EXCLUSIVE, whyNotAll, whyNotAll);
    }

    /**
     * Returns the same shares without downgrades.
     *
     * @param why why a writer cannot become a reader there
     */
    public Sharing withoutDowngrade(String why) {
        return new Sharing(shares, whyNotAll, why);
    }

    /** Returns whether claims with a share are granted. */
    public boolean includes(int share) {
        return switch (shares) {
            case ALL -> true;
            case READ_WRITE -> share == Claim.EXCLUSIVE || share == Claim.UNLIMITED;
            case EXCLUSIVE -> share == Claim.EXCLUSIVE;
        };
    }

    /** Returns whether a writer can become a reader. */
    public boolean canDowngrade() {
        return whyNoDowngrade.isEmpty();
    }
}
