package dev.leasehold.redis.script;

import dev.leasehold.internal.WholeMillis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Lock keys are the encoded arguments that scripts need of a lock each time, its keys and the channels to notify, with the
 * state in which this client saw it last.
 */
public final class LockKeys {

    private final EncodedArgs all;
    private final EncodedArgs ballot;
    private final EncodedArgs own;
    private final EncodedArgs toTell;
    private final String toTellText;

    /** This is the state in which this client saw the lock last; it is only a belief. */
    private volatile boolean held;

    private LockKeys(KeyNames names, boolean counted, String name) {
        String beside = names.beside(name);
        byte[] lock = bytes(names.lock(name));
        byte[] token = bytes(KeyNames.token(beside));
        byte[] queue = bytes(KeyNames.queue(beside));
        all = EncodedArgs.of(bytes("3"), lock, token, queue);
        ballot = EncodedArgs.of(bytes("4"), lock, token, queue);
        own = EncodedArgs.of(bytes("1"), lock);
        toTellText = (counted ? "1|" : "0|") + names.inboxPrefix() + '|' + name;
        toTell = EncodedArgs.of(toTellText);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns all keys, after their number. */
    public EncodedArgs all() {
        return all;
    }

    /** Returns the keys where the marker's follows. */
    public EncodedArgs ballot() {
        return ballot;
    }

    /** Returns the lock's own key alone, after the number. */
    public EncodedArgs own() {
        return own;
    }

    /** Returns whether the lock was held when this client asked for it last. */
    public boolean wasHeld() {
        return held;
    }

    public void seen(boolean held) {
        if (this.held != held) {
            this.held = held;
        }
    }

    public EncodedArgs toTell() {
        return toTell;
    }

    /**
     * Returns the argument that has {@code release.lua} give the lock to the next waiter and notify it, or keep the lock.
     */
    public EncodedArgs freeOrKept(Duration keepFor) {
        return keepFor.isZero() ? toTell : EncodedArgs.of(Long.toString(WholeMillis.up(keepFor)));
    }

    public String toTellText() {
        return toTellText;
    }

    /** A cache keeps the keys of the locks that are in use, so that they are put together once. */
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
         * Finds or makes the keys of a lock.
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
