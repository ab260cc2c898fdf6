package dev.leasehold.redis.script;

import dev.leasehold.internal.Millis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What the scripts are sent of a lock each time, as bytes: the keys, and whom to tell. And what it was like last. */
public final class LockKeys {

    private final Words all;
    private final Words ballot;
    private final Words own;
    private final Words toTell;
    private final String toTellText;

    /** What this client saw last; only a belief. */
    private volatile boolean held;

    private LockKeys(KeyNames names, boolean counted, String name) {
        String beside = names.beside(name);
        byte[] lock = bytes(names.lock(name));
        byte[] token = bytes(KeyNames.token(beside));
        byte[] queue = bytes(KeyNames.queue(beside));
        all = Words.of(bytes("3"), lock, token, queue);
        ballot = Words.of(bytes("4"), lock, token, queue);
        own = Words.of(bytes("1"), lock);
        toTellText = (counted ? "1|" : "0|") + names.inboxPrefix() + '|' + name;
        toTell = Words.of(toTellText);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** All keys, after their number. */
    public Words all() {
        return all;
    }

    /** The same where a voucher's follows. */
    public Words ballot() {
        return ballot;
    }

    /** The lock's own key alone, after the number. */
    public Words own() {
        return own;
    }

    /** Whether the lock was held when this client asked for it last. */
    public boolean wasHeld() {
        return held;
    }

    public void seen(boolean held) {
        if (this.held != held) {
            this.held = held;
        }
    }

    public Words toTell() {
        return toTell;
    }

    /** What {@code release.lua} is to do with the lock: to give it to the next, who is told, or to keep it. */
    public Words freeOrKept(Duration keepFor) {
        return keepFor.isZero() ? toTell : Words.of(Long.toString(Millis.up(keepFor)));
    }

    public String toTellText() {
        return toTellText;
    }

    /** Keeps those of the locks that are in use, so that they are put together once. */
    public static final class Cache {

        private static final int MOST = 1000;

        private final KeyNames names;
        private final boolean counted;
        private final ConcurrentMap<String, LockKeys> known = new ConcurrentHashMap<>();

        /** Makes an empty one; {@code counted} as {@code lock.lua} tells of it. */
        public Cache(KeyNames names, boolean counted) {
            this.names = names;
            this.counted = counted;
        }

        /**
         * The keys of a lock.
         *
         * @throws dev.leasehold.LockException if the name cannot be a key
         */
        public LockKeys of(String lock) {
            LockKeys keys = known.get(lock);
            if (keys == null) {
                keys = new LockKeys(names, counted, lock);
                if (known.size() >= MOST) {
                    known.clear();
                }
                known.put(lock, keys);
            }
            return keys;
        }
    }
}
