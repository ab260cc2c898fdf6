package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RedisFenceTest {

    private static final String KEY = "leasehold:(fence):{account}";

    @RegisterExtension
    private static final Started<RedisProcess> SERVER = new Started<>(RedisProcess::start);

    private RedisCommands<String, String> redis;
    private RedisFence fence;

    @BeforeEach
    void empty() {
        redis = SERVER.get().commands();
        redis.flushall();
        fence = RedisFence.on(redis, "account");
    }

    /** The lock's key was the fence's, in this namespace. */
    @Test
    void aFenceHarmsNoLockInANamespaceOfItsName() throws Exception {
        try (Leasehold client =
                Leasehold.builder().uri(SERVER.get().uri()).namespace("fence").build()) {
            Lease lease = client.lock("account").acquire();
            fence.reset();
            lease.extend(Duration.ofSeconds(40));
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void anOlderTokenIsRefusedAndTheExceptionHasBoth() {
        fence.register(8);
        assertThatThrownBy(() -> fence.register(7)).isInstanceOfSatisfying(StaleTokenException.class, e -> {
            assertThat(e.token()).isEqualTo(7);
            assertThat(e.newest()).isEqualTo(8);
            assertThat(e).hasMessageContaining("'account'");
        });
        fence.register(8);
        fence.register(9);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 98, 999_999, (1L << 53) - 1, 1L << 53, (1L << 53) + 1, Long.MAX_VALUE - 1})
    void tokensAreComparedExactlyUpToTheGreatest(long token) {
        fence.register(token);
        fence.register(token + 1);
        assertThatThrownBy(() -> fence.register(token)).isInstanceOf(StaleTokenException.class);
        assertThat(redis.get(KEY)).hasSize(19);
    }

    @Test
    void aLateWriteIsRefusedAndChangesNothing() {
        RedisFence.Guard late = fence.register(1);
        late.write("SET", "account", "100");
        RedisFence.Guard successor = fence.register(2);
        assertThatThrownBy(() -> late.write("SET", "account", "0")).isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> late.write("DEL", "account")).isInstanceOf(StaleTokenException.class);
        assertThat(redis.get("account")).isEqualTo("100");
        successor.write("incrby", "account", "5");
        assertThat(redis.get("account")).isEqualTo("105");
        successor.write("HSET", "details", "owner", "me", "limit", "10");
        assertThat(redis.hgetall("details")).containsEntry("limit", "10").containsEntry("owner", "me");
    }

    @Test
    void aScriptSeesItsOwnKeysAndArgumentsAndIsRefusedWhole() {
        RedisFence.Guard guard = fence.register(5);
        String script = "redis.call('SET', KEYS[1], ARGV[1])\nreturn {#KEYS, #ARGV, KEYS[2], ARGV[2]}";
        List<Object> answer =
                guard.eval(script, ScriptOutputType.MULTI, new String[] {"account", "other"}, "value", "second");
        assertThat(answer).containsExactly(2L, 2L, "other", "second");
        assertThat(redis.get("account")).isEqualTo("value");
        fence.register(6);
        assertThatThrownBy(() ->
                        guard.eval(script, ScriptOutputType.MULTI, new String[] {"account", "other"}, "late", "second"))
                .isInstanceOf(StaleTokenException.class);
        assertThat(redis.get("account")).isEqualTo("value");
    }

    @Test
    void errorsOfAScriptComeThroughWithItsOwnLineNumbers() {
        RedisFence.Guard guard = fence.register(5);
        assertThatThrownBy(() ->
                        guard.eval("local x = 1\nreturn x + nil", ScriptOutputType.INTEGER, new String[] {"account"}))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("user_script:2");
    }

    @Test
    void aTextThatIsNoTokenIsNeitherTrustedNorOverwritten() {
        redis.set(KEY, "12");
        assertThatThrownBy(() -> fence.register(5))
                .isInstanceOf(LockException.class)
                .hasMessageContaining(KEY);
        assertThat(redis.get(KEY)).isEqualTo("12");
    }

    @Test
    void theFenceNeverForgetsByItself() {
        fence.register(5).write("SET", "account", "1");
        assertThat(redis.ttl(KEY)).isEqualTo(-1);
    }

    @Test
    void afterAResetAnyTokenWillDo() {
        fence.register(Long.MAX_VALUE);
        fence.reset();
        fence.register(1);
        assertThatThrownBy(() -> fence.register(0)).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void resourcesAreGuardedOneByOne() {
        fence.register(9);
        RedisFence.on(redis, "other").register(1);
        RedisFence.on(redis, "account:1").register(1);
    }

    @Test
    void badInputIsRefusedBeforeAnythingIsSent() {
        for (String resource : new String[] {"", "a{b", "a}b", "{a}"}) {
            assertThatThrownBy(() -> RedisFence.on(redis, resource)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> fence.register(-1)).isInstanceOf(IllegalArgumentException.class);
        RedisFence.Guard guard = fence.register(1);
        assertThatThrownBy(() -> guard.eval("#!lua flags=no-writes\nreturn 1", ScriptOutputType.INTEGER, new String[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("flags");
    }

    @Test
    void worksOnTheOldestServerToo() {
        try (RedisProcess old = RedisProcess.start(RedisProcess.Version.V6_2)) {
            RedisFence olds = RedisFence.on(old.commands(), "account");
            RedisFence.Guard guard = olds.register(1);
            olds.register(Long.MAX_VALUE);
            assertThatThrownBy(() -> guard.write("SET", "account", "1"))
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            e -> assertThat(e.newest()).isEqualTo(Long.MAX_VALUE));
        }
    }

    @Test
    void inAClusterTheFenceIsWhereItsResourceIs() {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            RedisClusterClient client =
                    RedisClusterClient.create(cluster.servers.get(0).uri());
            try {
                var commands = client.connect().sync();
                for (int i = 0; i < 10; i++) {
                    String key = "account" + i;
                    RedisFence.Guard guard = RedisFence.on(commands, key).register(2);
                    guard.write("SET", key, "1");
                    guard.write("SET", "{" + key + "}:more", "2");
                    assertThat(commands.get(key)).isEqualTo("1");
                    assertThatThrownBy(() -> RedisFence.on(commands, key).register(1))
                            .isInstanceOf(StaleTokenException.class);
                    assertThatThrownBy(() -> guard.write("SET", "elsewhere" + key, "1"))
                            .hasMessageContaining("slot");
                }
            } finally {
                client.shutdown();
            }
        }
    }
}
