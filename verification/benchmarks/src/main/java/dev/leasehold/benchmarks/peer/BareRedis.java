package dev.leasehold.benchmarks.peer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.locks.LockSupport;

/**
 * A bare Redis lock is the usual one: {@code SET NX PX}, and a script that deletes what is still one's own. One connection
 * for all threads.
 */
final class BareRedis implements LockClient {

    private static final String DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String sha;
    private final String millis;

    BareRedis(Target target) {
        client = RedisClient.create(target.uri());
        redis = client.connect().sync();
        sha = redis.scriptLoad(DELETE);
        millis = Long.toString(target.lease().toMillis());
    }

    @Override
    public LockHandle lock(String name) {
        String[] key = {"bare:" + name};
        SetArgs args = SetArgs.Builder.nx().px(Long.parseLong(millis));
        return new LockHandle() {
            private final String id = Long.toHexString(System.nanoTime()) + System.identityHashCode(this) + ":";
            private long counter;

            @Override
            public void acquire() {
                String value = id + ++counter;
                while (redis.set(key[0], value, args) == null) {
                    LockSupport.parkNanos(1_000_000);
                }
            }

            @Override
            public void release() {
                Long deleted = redis.evalsha(sha, ScriptOutputType.INTEGER, key, id + counter);
                if (deleted != 1) {
                    throw new IllegalStateException("the lock was lost");
                }
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
