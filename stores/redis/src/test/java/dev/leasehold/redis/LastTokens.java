package dev.leasehold.redis;

import org.jspecify.annotations.Nullable;

/**
 * The last tokens are what a master keeps of the tokens that it has given out: the last, and the last of those that exclude
 * everybody.
 *
 * @param last null where nothing is known
 * @param exclusive null where nothing is known; 0 where only a reader's is
 */
public record LastTokens(@Nullable Long last, @Nullable Long exclusive) {

    static final LastTokens NONE = new LastTokens(null, null);

    static LastTokens exclusive(long token) {
        return new LastTokens(token, token);
    }

    /** Reads what a master has written. */
    public static LastTokens parse(String record) {
        if (record.isEmpty()) {
            return NONE;
        }
        String[] parts = record.split("\\|");
        return new LastTokens(Long.parseLong(parts[0]), Long.parseLong(parts[parts.length - 1]));
    }

    public LastTokens withReader(long token) {
        if (last == null) {
            return new LastTokens(token, 0L);
        }
        return token > last ? new LastTokens(token, exclusive) : this;
    }

    long lastOr(long other) {
        return last == null ? other : last;
    }

    long exclusiveOr(long other) {
        return exclusive == null ? other : exclusive;
    }

    /** Returns whether no reader has had a token since the last that excludes everybody. */
    boolean isExclusive() {
        return last == null || last.equals(exclusive);
    }

    @Override
    public String toString() {
        return last == null ? "none" : isExclusive() ? last.toString() : last + "|" + exclusive;
    }
}
