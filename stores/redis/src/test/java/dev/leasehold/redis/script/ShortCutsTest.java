package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The short cuts at the beginnings of the scripts only save work: from any state of a lock, what a script does with its
 * short cut and without it is the same. Two locks are brought into the same random state, and one is asked with, one without.
 */
@Tag("slow")
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShortCutsTest {

    private static final int USUAL_ROUNDS = 2000;

    /** Some waiters have 300 ms left to live: where a busy machine took longer over a round, it is played again. */
    private static final long LONGEST_NANOS = 150_000_000;

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void changeNothingButTheCost(RedisProcess.Version version) {
        changeNothing(version, 0, USUAL_ROUNDS);
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    @Tag("extended")
    void changeNothingInThousandsOfRounds(RedisProcess.Version version) {
        changeNothing(version, USUAL_ROUNDS, 4000);
    }

    private static void changeNothing(RedisProcess.Version version, int first, int rounds) {
        RedisClient client = RedisClient.create();
        try (RedisProcess redis = RedisProcess.start(version);
                StatefulRedisPubSubConnection<String, String> listener =
                        client.connectPubSub(RedisURI.create(redis.uri()))) {
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            listener.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    told.add(channel + " " + message);
                }
            });
            listener.sync().subscribe("with:heard", "without:heard", "with:end", "without:end");
            List<Object> opened = redis.commands()
                    .eval(
                            Script.OPEN_QUORUM.text(),
                            ScriptOutputType.MULTI,
                            new String[] {"leasehold:quorum"},
                            RandomLock.RULES.text());
            String marker = opened.get(2).toString();
            for (int round = first; round < first + rounds; round++) {
                RandomLock with;
                RandomLock without;
                String seen;
                String expected;
                long began;
                do {
                    began = System.nanoTime();
                    with = new RandomLock(redis.commands(), told, "with", marker, round);
                    without = new RandomLock(redis.commands(), told, "without", marker, round);
                    seen = with.play(true);
                    expected = without.play(false);
                } while (!seen.equals(expected) && System.nanoTime() - began > LONGEST_NANOS);
                assertThat(seen).as("seed " + round + ": " + with.story()).isEqualTo(expected);
            }
        } finally {
            client.shutdown();
        }
    }
}
