package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A platform that gives each tenant a prefix lets its user touch no other key and no other channel. */
@Tag("slow")
class KeyPrefixTest {

    private static final String PREFIX = "leasehold.keyPrefix=tenant7:";

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    private String server;

    @BeforeEach
    void letTheTenantIn() {
        RedisProcess redis = REDIS.get();
        redis.commands().flushall();
        SecurityTest.setUser(
                redis, "tenant on >pw " + SecurityTest.LEAST.replace("leasehold:", "tenant7:") + " ~bare* +object");
        server = "tenant:pw@localhost:" + redis.port();
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://", "redlock://"})
    void everythingIsUnderThePrefix(String scheme) throws Exception {
        String uri = scheme + server + "?" + PREFIX;
        if (scheme.equals("redlock://")) {
            ((RedlockStore) new RedisStoreProvider().create(StoreUri.parse(uri))).initialize();
        }
        try (Leasehold one = Leasehold.connect(uri);
                Leasehold other = Leasehold.connect(uri)) {
            Lease first = one.lock("x").acquire();
            CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
            await().until(() -> REDIS.get().commands().exists("tenant7:{x}:queue") == 1);
            assertThat(other.locks("*")).hasSize(1);
            first.release();
            Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(second.token()).isGreaterThan(first.token());
            try (Lease reader = one.readWriteLock("y").read().acquire()) {
                assertThat(reader.isValid()).isTrue();
            }
            assertThat(one.examine().findings())
                    .extracting(Finding::code)
                    .contains("redis-rights")
                    .doesNotContain("redis-keys-forbidden", "redis-channels-forbidden");
            assertThat(one.breakLock("x", second.token())).isTrue();
            await().until(() -> !second.isValid());
            assertThat(REDIS.get().commands().keys("*")).isNotEmpty().allMatch(key -> key.startsWith("tenant7:"));
        }
    }

    @Test
    void inAClusterEverythingIsUnderThePrefixToo() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            String uri = "redis-cluster://" + cluster.addresses() + "?" + PREFIX;
            List<String> names = List.of("a", "b", "c", "order 42");
            assertThat(names.stream()
                            .map(name -> RedisGroup.firstMaster(SlotHash.getSlot(name)))
                            .distinct())
                    .hasSize(3);
            try (Leasehold one = Leasehold.connect(uri);
                    Leasehold other = Leasehold.connect(uri)) {
                for (String name : names) {
                    Lease first = one.lock(name).acquire();
                    CompletableFuture<Lease> waiting = other.lock(name).acquireAsync();
                    await().until(() -> one.locks(name).get(0).waiters().size() == 1);
                    first.release();
                    Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
                    assertThat(second.token()).isGreaterThan(first.token());
                }
                assertThat(one.locks("*")).extracting(LockInfo::name).containsExactlyElementsOf(names);
                assertThat(cluster.servers)
                        .allSatisfy(server -> assertThat(server.commands().keys("*"))
                                .isNotEmpty()
                                .allMatch(key -> key.startsWith("tenant7:{")));
            }
        }
    }

    @Test
    void withPlainKeysEverythingElseIs() throws Exception {
        String uri = "redis://" + server + "?leasehold.keys=plain&" + PREFIX;
        try (Leasehold one = Leasehold.connect(uri);
                Leasehold other = Leasehold.connect(uri)) {
            Lease first = one.lock("bare").acquire();
            CompletableFuture<Lease> waiting = other.lock("bare").acquireAsync();
            await().until(() -> REDIS.get().commands().exists("tenant7:(plain):{bare}:queue") == 1);
            first.release();
            waiting.get(A_MINUTE, TimeUnit.SECONDS).release();
            REDIS.get().commands().set("bare", "a foreign client's");
            assertThat(one.lock("bare").tryAcquire()).isEmpty();
            for (String taken : List.of("tenant7:x", "leasehold:x")) {
                assertThatThrownBy(() -> one.lock(taken).tryAcquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("where Leasehold keeps its own keys");
            }
        }
    }

    @Test
    void clientsWithDifferentPrefixesShareNoLocks() throws Exception {
        String any = "redis://localhost:" + REDIS.get().port();
        try (Leasehold one = Leasehold.connect(any);
                Leasehold other = Leasehold.connect(any + "?" + PREFIX);
                Lease mine = one.lock("x").acquire();
                Lease others = other.lock("x").tryAcquire().orElseThrow()) {
            assertThat(mine.isValid() && others.isValid()).isTrue();
            assertThat(one.locks("*")).hasSize(1);
        }
    }

    @Test
    void aTenantWithoutThePrefixIsToldItsRights() throws Exception {
        try (Leasehold client = Leasehold.connect("redis://" + server)) {
            assertThat(client.examine().findings())
                    .filteredOn(found -> found.code().equals("redis-keys-forbidden"))
                    .extracting(Finding::remedy)
                    .containsExactly("allow ~leasehold:*");
        }
    }

    @Test
    void aFenceHasItToo() {
        RedisClient lettuce = RedisClient.create("redis://" + server);
        try (var connection = lettuce.connect()) {
            RedisFence fence = RedisFence.on(connection.sync(), "account").withKeyPrefix("tenant7:");
            fence.register(7);
            assertThat(REDIS.get().commands().keys("*")).containsExactly("tenant7:(fence):{account}");
        } finally {
            lettuce.shutdown();
        }
    }

    /** A brace would take the keys of a lock apart in a cluster, a star would list the keys of others. */
    @ParameterizedTest
    @ValueSource(strings = {"", "{a}", "a*", "a b", "a?", "[a]", "ä"})
    void whatIsNoPrefixIsRefused(String prefix) {
        StoreUri uri = new StoreUri("redis", "redis://h", Map.of("keyPrefix", prefix));
        assertThatThrownBy(() -> new RedisStoreProvider().create(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("letters, digits or characters of '._:/-'");
    }
}
