package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** These tests are about readers at the fence of a resource in Redis. */
@Tag("slow")
class SharedRedisFenceTest {

    private static final String KEY = "leasehold:(fence):{account}";
    private static final long BIG = 1L << 53;

    private RedisProcess server;
    private RedisCommands<String, String> redis;
    private RedisFence fence;

    private void start(RedisProcess.Version version) {
        server = RedisProcess.start(version);
        redis = server.commands();
        fence = RedisFence.on(redis, "account");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void refused(ThrowingCallable call, long newest) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.newest()).isEqualTo(newest));
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void aReaderIsRefusedBelowAWriterOnly(RedisProcess.Version version) {
        start(version);
        fence.registerShared(BIG + 5);
        fence.registerShared(BIG + 3);
        fence.registerShared(0);
        fence.register(BIG + 7);
        refused(() -> fence.registerShared(BIG + 6), BIG + 7);
        fence.registerShared(BIG + 7);
        fence.registerShared(BIG + 9);
        fence.registerShared(BIG + 8);
        refused(() -> fence.registerShared(BIG + 6), BIG + 7);
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void aWriterIsRefusedBelowAReader(RedisProcess.Version version) {
        start(version);
        RedisFence.Guard late = fence.register(4);
        fence.registerShared(6);
        refused(() -> fence.register(5), 6);
        refused(() -> late.write("SET", "account", "1"), 6);
        assertThat(redis.get("account")).isNull();
        fence.register(6).write("SET", "account", "2");
        refused(() -> fence.registerShared(5), 6);
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void aReaderLearnsOfAWriterThatCameInBetween(RedisProcess.Version version) {
        start(version);
        redis.set("account", "7");
        RedisFence.SharedGuard reader = fence.registerShared(3);
        String[] keys = {"account"};
        String read = "return redis.call('GET', KEYS[1])";
        assertThat(reader.token()).isEqualTo(3);
        assertThat(reader.<String>eval(read, ScriptOutputType.VALUE, keys)).isEqualTo("7");
        fence.registerShared(9);
        reader.confirm();
        fence.register(10);
        refused(reader::confirm, 10);
        refused(() -> reader.eval(read, ScriptOutputType.VALUE, keys), 10);
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void theRecordIsOneNumberWhileBothAreEqual(RedisProcess.Version version) {
        start(version);
        fence.register(8);
        fence.registerShared(8);
        assertThat(redis.get(KEY)).hasSize(19);
        fence.registerShared(9);
        assertThat(redis.get(KEY)).hasSize(39);
        assertThat(redis.ttl(KEY)).isEqualTo(-1);
        fence.register(9);
        assertThat(redis.get(KEY)).hasSize(19);
        fence.reset();
        fence.register(1);
    }

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void aTextThatIsNoRecordIsRefused(RedisProcess.Version version) {
        start(version);
        for (String text : new String[] {"12", "1".repeat(19) + "|1", "x".repeat(19)}) {
            redis.set(KEY, text);
            assertThatThrownBy(() -> fence.registerShared(5)).isInstanceOf(LockException.class);
            assertThat(redis.get(KEY)).isEqualTo(text);
        }
        assertThatThrownBy(() -> fence.registerShared(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The two numbers stand for the newest writer, and the newest of all. */
    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void itJudgesLikeTwoNumbers(RedisProcess.Version version) {
        start(version);
        Random random = new Random(1);
        long newest = 0;
        long exclusive = 0;
        for (int i = 0; i < 500; i++) {
            long token = Math.max(0, newest - 3 + random.nextInt(6));
            if (random.nextInt(3) == 0) {
                if (token < newest) {
                    long least = newest;
                    refused(() -> fence.register(token), least);
                } else {
                    fence.register(token);
                    newest = token;
                    exclusive = token;
                }
            } else if (token < exclusive) {
                long least = exclusive;
                refused(() -> fence.registerShared(token), least);
            } else {
                fence.registerShared(token);
                newest = Math.max(newest, token);
            }
        }
    }
}
