package dev.leasehold.redis;

import io.lettuce.core.protocol.CommandArgs;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What the scripts are sent of a lock each time, as bytes: the keys, and whom to tell. */
final class LockKeys {

    private final byte[] lock;
    private final byte[] token;
    private final byte[] queue;
    private final byte[] waiters;
    private final byte[] toTell;
    private final String toTellText;

    private LockKeys(KeyNames names, boolean counted, String name) {
        String beside = names.beside(name);
        lock = bytes(names.lock(name));
        token = bytes(KeyNames.token(beside));
        queue = bytes(KeyNames.queue(beside));
        waiters = bytes(KeyNames.waiters(beside));
        toTellText = (counted ? "1|" : "0|") + names.inboxPrefix() + '|' + name;
        toTell = bytes(toTellText);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** All keys, and how many others will follow. */
    CommandArgs<String, String> addTo(CommandArgs<String, String> args, int more) {
        return args.add(4 + more).add(lock).add(token).add(queue).add(waiters);
    }

    /** The lock's own key alone. */
    CommandArgs<String, String> addOwnTo(CommandArgs<String, String> args, int more) {
        return args.add(1 + more).add(lock);
    }

    byte[] toTell() {
        return toTell;
    }

    String toTellText() {
        return toTellText;
    }

    /** Keeps those of the locks that are in use, so that they are put together once. */
    static final class Cache {

        private static final int MOST = 1000;

        private final KeyNames names;
        private final boolean counted;
        private final ConcurrentMap<String, LockKeys> known = new ConcurrentHashMap<>();

        /** Makes an empty one; {@code counted} as {@code lock.lua} tells of it. */
        Cache(KeyNames names, boolean counted) {
            this.names = names;
            this.counted = counted;
        }

        /**
         * The keys of a lock.
         *
         * @throws dev.leasehold.LockException if the name cannot be a key
         */
        LockKeys of(String lock) {
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
