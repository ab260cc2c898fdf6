package dev.leasehold.benchmarks.peer;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A bare quorum is the least that Redlock takes: {@code SET NX PX} on all masters at once, compare-and-delete on all at
 * once, and each time the majority's answer is waited for. No token, no renewal, no retry.
 */
final class BareQuorum implements LockClient {

    private static final String DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final RedisClient client = RedisClient.create();
    private final List<RedisAsyncCommands<String, String>> masters = new ArrayList<>();
    private final String sha;

    BareQuorum(Target target) {
        String loaded = "";
        for (String uri : RedisUris.of(target)) {
            var connection = client.connect(RedisURI.create(uri));
            masters.add(connection.async());
            loaded = connection.sync().scriptLoad(DELETE);
        }
        sha = loaded;
    }

    @Override
    public LockHandle lock(String name) {
        String[] key = {"bare:" + name};
        return new LockHandle() {
            private long counter;

            @Override
            public void acquire() throws InterruptedException {
                String value = "client:" + ++counter;
                majority(redis -> redis.set(key[0], value, SetArgs.Builder.nx().px(30_000)), "OK");
            }

            @Override
            public void release() throws InterruptedException {
                String value = "client:" + counter;
                majority(redis -> redis.<Long>evalsha(sha, ScriptOutputType.INTEGER, key, value), 1L);
            }
        };
    }

    private <T> void majority(Function<RedisAsyncCommands<String, String>, CompletionStage<T>> command, T yes)
            throws InterruptedException {
        CountDownLatch open = new CountDownLatch(masters.size() / 2 + 1);
        for (RedisAsyncCommands<String, String> redis : masters) {
            command.apply(redis).whenComplete((answer, failure) -> {
                if (yes.equals(answer)) {
                    open.countDown();
                }
            });
        }
        if (!open.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no majority has said yes");
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
