package dev.leasehold.benchmarks.peer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * A bare queue is the least that a hand-over without polling takes: one script acquires or joins a queue, another releases,
 * gives the lock to those in the queue that fit, and sends each a message. A permit counts one, a reader one, a writer all.
 * No token, no renewal, no liveness: a process that dies in the queue stops all the others. One connection for the commands
 * of all threads, another for the messages.
 */
final class BareQueue implements LockClient {

    /** More than there will ever be readers. */
    private static final int ALL = 1_000_000;

    /** KEYS: taken, queue. ARGV: id, weight, limit. */
    private static final String ACQUIRE = """
            local taken = tonumber(redis.call('GET', KEYS[1]) or '0')
            if taken + ARGV[2] <= tonumber(ARGV[3]) and redis.call('EXISTS', KEYS[2]) == 0 then
              redis.call('SET', KEYS[1], taken + ARGV[2], 'PX', 30000)
              return 1
            end
            redis.call('RPUSH', KEYS[2], ARGV[2] .. ' ' .. ARGV[1])
            return 0
            """;

    /** KEYS: taken, queue. ARGV: weight, limit. */
    private static final String RELEASE = """
            local taken = tonumber(redis.call('GET', KEYS[1]) or '0') - ARGV[1]
            while true do
              local first = redis.call('LINDEX', KEYS[2], 0)
              if not first then break end
              local weight, id, inbox = first:match('^(%d+) (%d+) (.+)$')
              if taken + weight > tonumber(ARGV[2]) then break end
              taken = taken + weight
              redis.call('LPOP', KEYS[2])
              redis.call('PUBLISH', inbox, id)
            end
            if taken > 0 then
              redis.call('SET', KEYS[1], taken, 'PX', 30000)
            else
              redis.call('DEL', KEYS[1])
            end
            return 1
            """;

    private final String inbox = "bare:inbox:" + UUID.randomUUID();
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String acquire;
    private final String release;
    private final ConcurrentHashMap<String, Semaphore> granted = new ConcurrentHashMap<>();

    BareQueue(Target target) {
        client = RedisClient.create(target.uri());
        redis = client.connect().sync();
        acquire = redis.scriptLoad(ACQUIRE);
        release = redis.scriptLoad(RELEASE);
        StatefulRedisPubSubConnection<String, String> listening = client.connectPubSub();
        listening.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                granted.get(message).release();
            }
        });
        listening.sync().subscribe(inbox);
    }

    @Override
    public LockHandle lock(String name) {
        return handle(name, 1, 1);
    }

    @Override
    public LockHandle permit(String name, int permits) {
        return handle(name, 1, permits);
    }

    @Override
    public LockHandle read(String name) {
        return handle(name, 1, ALL);
    }

    @Override
    public LockHandle write(String name) {
        return handle(name, ALL, ALL);
    }

    private LockHandle handle(String name, int weight, int limit) {
        String[] keys = {"bare:{" + name + "}", "bare:{" + name + "}:queue"};
        Semaphore mine = new Semaphore(0);
        String id = Integer.toString(granted.size());
        granted.put(id, mine);
        String[] claim = {id + " " + inbox, Integer.toString(weight), Integer.toString(limit)};
        String[] end = {claim[1], claim[2]};
        return new LockHandle() {
            @Override
            public void acquire() throws InterruptedException {
                Long now = redis.evalsha(acquire, ScriptOutputType.INTEGER, keys, claim);
                if (now == 0) {
                    mine.acquire();
                }
            }

            @Override
            public void release() {
                redis.evalsha(release, ScriptOutputType.INTEGER, keys, end);
            }
        };
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
