package dev.leasehold.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The least that a hand-over without polling takes: one script acquires or joins a queue, another gives the lock to the
 * next in the queue and tells it. No token, no renewal, no liveness: whoever dies in the queue stops all the others.
 */
final class BareQueue implements Peer {

    private static final String ACQUIRE = """
            if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then
              redis.call('SET', KEYS[1], ARGV[1], 'PX', 30000)
              return 1
            end
            redis.call('RPUSH', KEYS[2], ARGV[1])
            return 0
            """;

    private static final String RELEASE = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then
              return 0
            end
            local next = redis.call('LPOP', KEYS[2])
            if next then
              redis.call('SET', KEYS[1], next, 'PX', 30000)
              redis.call('PUBLISH', next, 'granted')
            else
              redis.call('DEL', KEYS[1])
            end
            return 1
            """;

    private final String id = "bare:inbox:" + UUID.randomUUID();
    private final String[] keys;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String acquire;
    private final String release;
    private final BlockingQueue<String> inbox = new LinkedBlockingQueue<>();

    BareQueue(String redisUri, String lock) {
        keys = new String[] {"bare:{" + lock + "}", "bare:{" + lock + "}:queue"};
        client = RedisClient.create(redisUri);
        redis = client.connect().sync();
        acquire = redis.scriptLoad(ACQUIRE);
        release = redis.scriptLoad(RELEASE);
        StatefulRedisPubSubConnection<String, String> listening = client.connectPubSub();
        listening.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                inbox.add(message);
            }
        });
        listening.sync().subscribe(id);
    }

    @Override
    public String name() {
        return "two bare scripts";
    }

    @Override
    public void acquire() throws InterruptedException {
        Long granted = redis.evalsha(acquire, ScriptOutputType.INTEGER, keys, id);
        if (granted == 0) {
            inbox.take();
        }
    }

    @Override
    public void release() {
        Long released = redis.evalsha(release, ScriptOutputType.INTEGER, keys, id);
        if (released != 1) {
            throw new IllegalStateException("the lock was lost");
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
