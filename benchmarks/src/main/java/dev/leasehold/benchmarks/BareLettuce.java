package dev.leasehold.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.locks.LockSupport;

/** What everybody writes at first: {@code SET NX PX}, and a script that deletes what is still one's own. */
final class BareLettuce implements Peer {

    private static final String DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final String key;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String sha;
    private long counter;

    BareLettuce(String redisUri, String lock) {
        key = "bare:" + lock;
        client = RedisClient.create(redisUri);
        redis = client.connect().sync();
        sha = redis.scriptLoad(DELETE);
    }

    @Override
    public String name() {
        return "bare Lettuce";
    }

    @Override
    public void acquire() {
        String value = "client:" + ++counter;
        while (redis.set(key, value, SetArgs.Builder.nx().px(30_000)) == null) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void release() {
        Long deleted = redis.evalsha(sha, ScriptOutputType.INTEGER, new String[] {key}, "client:" + counter);
        if (deleted != 1) {
            throw new IllegalStateException("the lock was lost");
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
