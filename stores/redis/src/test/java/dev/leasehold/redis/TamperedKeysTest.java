package dev.leasehold.redis;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import dev.leasehold.testtools.Tampering;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about keys of locks that somebody has overwritten: with another type, with other text, without an end; on
 * one Redis and on a quorum.
 */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TamperedKeysTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));

    private static final List<String> TEXTS = List.of(
            "",
            "\0",
            "garbage",
            "leasehold|",
            "leasehold|1|",
            "leasehold|1|a|b|c|d|e|f",
            "leasehold|1|client.1|-5|0|0|owner",
            "leasehold|1|client.1|99999999999999999999999|0|0|owner",
            "leasehold|1|client.1|1e308|nan|inf|owner",
            "leasehold|2|",
            "leasehold|2|\n",
            "leasehold|2|x\nclient.1|1|9999999999999999|0|0|1|0|owner",
            "leasehold|2|x\nclient.1|nan|inf|-1|x|y|z|owner\n\n\n",
            "leasehold|3|client.1|5|0|0|owner",
            "leasehold|1|" + "x".repeat(100_000));

    @RegisterExtension
    private static final Started<RedisProcess> REDIS =
            new Started<>(() -> RedisProcess.start(RedisProcess.Version.V7_0));

    @Test
    void keysOfOneRedis() throws Exception {
        RedisProcess redis = REDIS.get();
        try (Leasehold client =
                Leasehold.builder().uri(redis.uri()).options(OPTIONS).build()) {
            Tampering.fuzz(client, "redis://", new Keys(List.of(redis)));
        }
    }

    @Test
    void keysOfAQuorum() throws Exception {
        try (RedlockFixture quorum = RedlockFixture.opened(3)) {
            Tampering.fuzz(quorum.client(quorum.store, Duration.ofSeconds(10)), "redlock://", new Keys(quorum.servers));
        }
    }

    private record Keys(List<RedisProcess> servers) implements Tampering.Hand {

        /** On most servers, so that a quorum has something to disagree about. */
        @Override
        public void tamper(String lock, Random random) {
            String key = keys(lock).get(random.nextInt(3));
            int kind = random.nextInt(8);
            String text = TEXTS.get(random.nextInt(TEXTS.size()));
            int spared = servers.size() > 1 ? random.nextInt(servers.size()) : -1;
            for (int i = 0; i < servers.size(); i++) {
                if (i != spared) {
                    tamper(servers.get(i).commands(), key, kind, text, random);
                }
            }
        }

        private static void tamper(
                RedisCommands<String, String> redis, String key, int kind, String text, Random random) {
            String now = kind == 0 && redis.type(key).equals("string") ? redis.get(key) : null;
            redis.del(key);
            switch (kind) {
                case 0 -> redis.set(key, now == null ? text : spoilt(now, random));
                case 1, 2, 3 -> redis.set(key, text);
                case 4 -> redis.rpush(key, text, "x", text);
                case 5 -> redis.hset(key, "a", text);
                case 6 -> redis.zadd(key, random.nextDouble(), text);
                default -> redis.sadd(key, text);
            }
        }

        private static String spoilt(String text, Random random) {
            if (text.isEmpty()) {
                return "x";
            }
            int at = random.nextInt(text.length());
            return switch (random.nextInt(4)) {
                case 0 -> text.substring(0, at);
                case 1 -> text.substring(0, at) + "|" + text.substring(at);
                case 2 -> text.substring(0, at) + '\ufffd' + text.substring(at + 1);
                default -> text.substring(0, at) + "9999999999" + text.substring(at);
            };
        }

        private static List<String> keys(String lock) {
            String key = "leasehold:{" + lock + "}";
            return List.of(key, key + ":token", key + ":queue");
        }

        @Override
        public void remove(String lock) {
            servers.forEach(server -> server.commands().del(keys(lock).toArray(String[]::new)));
        }
    }
}
