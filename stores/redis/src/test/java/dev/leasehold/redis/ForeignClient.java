package dev.leasehold.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/** A foreign client has locks as the page on distributed locks of Redis has it, and knows nothing of Leasehold. */
final class ForeignClient {

    private static final String RELEASE =
            "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";

    private final RedisCommands<String, String> redis;

    ForeignClient(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    /** Returns the value that it wrote, null if the lock is taken. */
    String tryLock(String name, Duration lease) {
        String value = UUID.randomUUID().toString();
        return "OK".equals(redis.set(name, value, SetArgs.Builder.nx().px(lease.toMillis()))) ? value : null;
    }

    String lock(String name, Duration lease) {
        for (String value = tryLock(name, lease); ; value = tryLock(name, lease)) {
            if (value != null) {
                return value;
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    boolean unlock(String name, String value) {
        Long deleted = redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {name}, value);
        return deleted == 1;
    }
}
