package dev.leasehold.redis.script;

import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A TimelessLook sees what a script has left behind, in words that do not depend on when it ran or on which of two locks, so
 * that two runs can be compared.
 */
final class TimelessLook {

    private static final long SECOND = 1_000_000;
    private static final Pattern GONE = Pattern.compile("\\n[a-z]+:\\d\\|\\d{16}\\|1234567890123456[^\\n]*");
    private static final Pattern TIME = Pattern.compile("\\d{16}");
    private static final Pattern RUN = Pattern.compile("[0-9a-f]{40}");

    private static final Pattern LEFT =
            Pattern.compile("\\b(3[12]\\d{3}|62\\d{3}|59\\d{2}|600[0-2]|19\\d{3}|2000[01]|29\\d{3}|3000[01])\\b");

    /** The times that a {@link RandomLock} draws, and ends of leases after them, are so many seconds from now. */
    private static final int[] NEAR = {
        -130, -100, -70, -68, -50, -38, -30, -20, -8, -4, 0, 4, 6, 10, 12, 20, 26, 30, 34, 50, 56, 64, 70, 100, 130
    };

    private final RedisCommands<String, String> redis;
    private final String side;
    private final String[] keys;
    private final long now;
    private final boolean deaf;

    /** Creates a look at a lock that was made at {@code now}; {@code deaf}: if a waiter does not hear its messages. */
    TimelessLook(RedisCommands<String, String> redis, String side, String[] keys, long now, boolean deaf) {
        this.redis = redis;
        this.side = side;
        this.keys = keys;
        this.now = now;
        this.deaf = deaf;
    }

    String all() {
        String lock = living(redis.get(keys[0]));
        return "lock " + lock + " for " + (lock.equals("none") ? "ever" : seconds(keys[0])) + "\nlast "
                + redis.get(keys[1])
                + " for "
                + seconds(keys[1]) + "\nqueue " + redis.lrange(keys[2], 0, -1) + " for " + life()
                + "\nmarker " + redis.get(keys[3]);
    }

    /** Returns a value without those that are gone, whose lines may stay for a while, also if there are no others. */
    private static String living(String value) {
        String left = value == null ? "none" : GONE.matcher(value).replaceAll("");
        return left.equals("leasehold|2|-") ? "none" : left;
    }

    /** A queue of which the only one is put back, because it did not hear, may live on for longer than it would have. */
    private String life() {
        List<String> all = redis.lrange(keys[2], 0, -1);
        if (all.size() != 1 || !all.get(0).contains("|deaf:")) {
            return seconds(keys[2]);
        }
        String[] parts = all.get(0).split("\\|");
        long until = Long.parseLong(parts[0]) / 1000 + Long.parseLong(parts[2]);
        return System.currentTimeMillis() + redis.pttl(keys[2]) + 900 > Math.min(until, now / 1000 + 8_000)
                ? "long enough"
                : "too short a time";
    }

    /** Says how long a key lives, in steps of a few seconds, none of which is near what is written. */
    private String seconds(String key) {
        long left = redis.pttl(key);
        return left < 0 ? "ever" : "about " + Math.round(left / 4_000.0 + 0.4);
    }

    /** A time that is about the present becomes a word; others are what they are. */
    String label(String text) {
        String timeless = TIME.matcher(text).replaceAll(found -> {
            long off = Long.parseLong(found.group()) - now;
            for (int about : NEAR) {
                if (Math.abs(off - about * SECOND) < 2 * SECOND) {
                    return "now+" + about;
                }
            }
            // Grants that are announced and not heard have used a token up.
            return deaf && found.group().startsWith("80000") ? "later" : found.group();
        });
        return LEFT.matcher(RUN.matcher(timeless).replaceAll("RUN"))
                .replaceAll("LEFT")
                .replace(side, "side");
    }
}
