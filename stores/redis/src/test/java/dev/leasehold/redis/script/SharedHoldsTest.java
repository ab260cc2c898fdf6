package dev.leasehold.redis.script;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedReadWriteLock;
import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.redis.QuietWaiter;
import dev.leasehold.redis.RedlockFixture;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about several holders of one lock on real servers: beside scripts of before, in a full server, while a
 * slot moves, after a flush.
 */
@Tag("slow")
class SharedHoldsTest {

    private static final String KEY = "leasehold:{x}";
    private static final String[] KEYS = {KEY, KEY + ":token", KEY + ":queue"};
    private static final String STAMP = "0".repeat(32);
    /** The end of a holder, after its claim and its token. */
    private static final String END = "^([^|]+\\|\\d+\\|)\\d{16}";

    private static final String TELL = "1|leasehold:inbox:|x";

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    private final List<Leasehold> clients = new ArrayList<>();
    private RedisCommands<String, String> redis;

    @BeforeEach
    void empty() {
        redis = REDIS.get().commands();
        redis.flushall();
    }

    @AfterEach
    void stop() {
        redis.configSet("maxmemory", "0");
        clients.forEach(Leasehold::close);
    }

    private Leasehold client() {
        return client(REDIS.get().uri(), Duration.ofSeconds(30));
    }

    private Leasehold client(String uri, Duration lease) {
        Leasehold client = Leasehold.builder()
                .uri(uri)
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .build();
        clients.add(client);
        return client;
    }

    /** A script of the release before locks were shared on one Redis. */
    private static String before(String name) {
        try (InputStream in = SharedHoldsTest.class.getResourceAsStream("/before-sharing/" + name + ".lua")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String old(String script, String... args) {
        return redis.<List<Object>>eval(before(script), ScriptOutputType.MULTI, KEYS, args)
                .get(0)
                .toString();
    }

    private String oldClaim(String kind) {
        return old(
                "claim",
                "leasehold|1|old:1|",
                "old",
                "30000",
                "64",
                kind + "|0|-1|" + TELL,
                "12500|" + STAMP + "|old:1|5000|64|leasehold:inbox:old|old");
    }

    @Test
    void anOlderClientIsNeverGrantedBesideHolders() throws Exception {
        DistributedSemaphore semaphore = client().semaphore("x", 3);
        for (int i = 0; i < 2; i++) {
            assertThat(semaphore.acquire().isValid()).isTrue();
            for (String kind : List.of("0", "1", "2")) {
                assertThatThrownBy(() -> oldClaim(kind))
                        .isInstanceOf(RedisCommandExecutionException.class)
                        .hasMessageContaining("LEASEHOLD_LAYOUT");
            }
            assertThat(old("release", "leasehold|1|old:1|7|", TELL)).isEqualTo("0");
            assertThat(old("withdraw", "old:1", TELL)).isEqualTo("0");
            assertThat(old("break", "7", TELL)).isEqualTo("0");
            assertThat(redis.get(KEY).lines()).hasSize(2 + i);
        }
        assertThat(semaphore.acquire().slot()).hasValue(2);
        assertThat(semaphore.tryAcquire()).isEmpty();
    }

    /** Stricter than asked, and in its place. */
    @Test
    void anOlderReleaseMakesASharedWaiterAnExclusiveHolder() throws Exception {
        String token = oldClaim("0");
        DistributedSemaphore semaphore = client().semaphore("x", 3);
        CompletableFuture<Lease> first = semaphore.acquireAsync();
        await().until(() -> redis.llen(KEYS[2]) == 1);
        CompletableFuture<Lease> second = client().readWriteLock("x").read().acquireAsync();
        await().until(() -> redis.llen(KEYS[2]) == 2);
        assertThat(old("release", "leasehold|1|old:1|" + token + "|", TELL)).isEqualTo("1");
        Lease lease = first.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(lease.slot()).hasValue(0);
        assertThat(lease.token()).isGreaterThan(Long.parseLong(token));
        assertThat(client().lock("x").tryAcquire()).isEmpty();
        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThat(second).isNotDone();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(second.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }

    /** However it comes in, and while it waits: so an older client knows it for what it is. */
    @Test
    void aMutexKeepsTheFirstLayout() throws Exception {
        redis.rpush(KEYS[2], "gone");
        Lease asked = client().lock("x").acquire();
        assertThat(redis.get(KEY)).startsWith("leasehold|1|");
        asked.release();
        for (var first : List.of(client().lock("x"), client().readWriteLock("x").read())) {
            Lease before = first.acquire();
            CompletableFuture<Lease> waiting = client().lock("x").acquireAsync();
            await().until(() -> redis.llen(KEYS[2]) == 1);
            assertThat(redis.lindex(KEYS[2], 0).split("\\|")[6]).matches("0|[1-9][0-9]*");
            before.release();
            Lease handed = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(redis.get(KEY)).startsWith("leasehold|1|");
            handed.release();
        }
        assertThat(client().lock("x").acquire().isValid()).isTrue();
        assertThat(redis.get(KEY)).startsWith("leasehold|1|");
    }

    @Test
    void whatCannotBeReadIsNotTakenForNobody() throws Exception {
        for (String value :
                List.of("leasehold|2|whatever", "leasehold|2|-\nc:1|5|9|1|owner", "leasehold|3\n|x", "leasehold|2|")) {
            redis.set(KEY, value);
            for (var lock :
                    List.of(client().lock("x"), client().readWriteLock("x").read())) {
                assertThatThrownBy(lock::tryAcquire)
                        .isInstanceOf(LockException.class)
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("newer");
            }
            assertThat(redis.get(KEY)).isEqualTo(value);
        }
    }

    @Test
    void aFullServerRenewsReleasesAndHandsOverHolders() throws Exception {
        Leasehold client = client(REDIS.get().uri(), Duration.ofSeconds(9));
        DistributedReadWriteLock lock = client.readWriteLock("x");
        Lease one = lock.read().acquire();
        Lease two = lock.read().acquire();
        Lease writer = client.readWriteLock("y").write().acquire();
        CompletableFuture<Lease> next = client().lock("x").acquireAsync();
        await().until(() -> redis.llen(KEYS[2]) == 1);
        CompletableFuture<Lease> reader = client().readWriteLock("y").read().acquireAsync();
        await().until(() -> redis.llen("leasehold:{y}:queue") == 1);
        redis.configSet("maxmemory", "1");
        RedlockFixture.awaitRenewed(one, two, writer);
        assertThatThrownBy(() -> client.readWriteLock("new").read().tryAcquire())
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(one.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(two.isValid()).isTrue();
        two.release();
        assertThat(next.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        writer.downgrade();
        assertThat(reader.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
        assertThat(writer.isValid()).isTrue();
    }

    @Test
    void aFlushIsALossForEachAndTokensIncrease() throws Exception {
        DistributedSemaphore semaphore = client().semaphore("x", 2);
        Lease one = semaphore.acquire();
        Lease two = semaphore.acquire();
        redis.flushall();
        assertThatThrownBy(() -> one.extend(Duration.ofSeconds(40)));
        await().until(() -> one.state() == LeaseState.LOST);
        Lease three = semaphore.acquire();
        assertThat(three.token()).isGreaterThan(two.token());
        assertThatThrownBy(() -> two.extend(Duration.ofSeconds(40)));
        assertThat(three.slot()).hasValue(0);
    }

    /** Dead holders leave nothing: the key ends with the last, and who comes in sweeps the lines of others. */
    @Test
    void whatDeadHoldersLeaveIsSwept() throws Exception {
        DistributedSemaphore semaphore = client().semaphore("x", 9);
        for (int i = 0; i < 3; i++) {
            assertThat(semaphore.acquire().slot()).hasValue(i);
        }
        DistributedSemaphore living = client().semaphore("x", 9);
        Lease last = living.acquire();
        assertThat(last.slot()).hasValue(3);
        redis.set(
                KEY,
                redis.get(KEY)
                        .lines()
                        .map(line -> line.contains("|" + last.token() + "|")
                                ? line
                                : line.replaceFirst(END, "$1" + "0".repeat(16)))
                        .collect(Collectors.joining("\n")),
                SetArgs.Builder.keepttl());
        await().until(() -> client().info("x").orElseThrow().holders().size() == 1);
        assertThat(living.acquire().slot()).hasValue(0);
        assertThat(redis.get(KEY).lines()).hasSize(3);
        LockOptions brief =
                LockOptions.defaults().withLeaseDuration(Duration.ofMillis(500)).withAutoRenew(false);
        for (int i = 0; i < 3; i++) {
            assertThat(client().semaphore("z", 9, brief).acquire().token()).isPositive();
        }
        await().until(() -> redis.exists("leasehold:{z}") == 0);
    }

    @Test
    void holdersAreServedOneByOneWhileASlotMoves() throws Exception {
        int slot = SlotHash.getSlot(KEY);
        try (RedisGroup cluster = RedisGroup.cluster()) {
            String uri = "redis-cluster://" + cluster.addresses();
            DistributedReadWriteLock lock = client(uri, Duration.ofSeconds(30)).readWriteLock("x");
            RedisProcess from = cluster.servers.get(slot * 3 / 16384);
            RedisProcess to = cluster.servers.get((slot * 3 / 16384 + 1) % 3);
            Lease one = lock.read().acquire();
            Lease two = lock.read().acquire();
            Lease kept = client(uri, Duration.ofSeconds(30))
                    .readWriteLock("x", LockOptions.defaults().withMinHold(Duration.ofMinutes(5)))
                    .read()
                    .acquire();
            CompletableFuture<Lease> waiting =
                    client(uri, Duration.ofSeconds(3)).lock("x").acquireAsync();
            await().until(() -> from.commands().exists(KEYS[2]) == 1);

            to.commands().clusterSetSlotImporting(slot, from.commands().clusterMyId());
            from.commands().clusterSetSlotMigrating(slot, to.commands().clusterMyId());
            from.commands().migrate("127.0.0.1", to.port(), KEY, 0, 5000);
            one.extend(Duration.ofSeconds(60));
            assertThat(one.release()).isEqualTo(LeaseState.RELEASED);
            two.extend(Duration.ofSeconds(60));
            assertThat(kept.release()).isEqualTo(LeaseState.RELEASED);
            for (int i = 1; i < 3; i++) {
                from.commands().migrate("127.0.0.1", to.port(), KEYS[i], 0, 5000);
            }
            for (RedisProcess server : cluster.servers) {
                server.commands().clusterSetSlotNode(slot, to.commands().clusterMyId());
            }
            Leasehold other = client(uri, Duration.ofSeconds(30));
            await().until(() -> other.info("x").orElseThrow().holders().size() == 2);
            assertThat(two.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(waiting).isNotDone();
            assertThat(other.breakLock("x", kept.token())).isTrue();
            assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(two.token());
        }
    }

    /** One release tells all that fit now: nobody has to ask. */
    @Test
    void oneReleaseTellsAllThatFit() throws Exception {
        Lease writer = client().readWriteLock("x").write().acquire();
        List<QuietWaiter> waiters = new ArrayList<>();
        try {
            for (int i = 1; i <= 6; i++) {
                waiters.add(QuietWaiter.to(REDIS.get().uri(), "waiter" + i, i < 6 ? Claim.UNLIMITED : Claim.EXCLUSIVE));
                assertThat(waiters.get(i - 1).place()).isEqualTo(i);
            }
            writer.release();
            for (QuietWaiter reader : waiters.subList(0, 5)) {
                reader.granted().get(A_MINUTE, TimeUnit.SECONDS);
            }
            assertThat(waiters.get(5).granted()).isNotDone();
        } finally {
            waiters.forEach(QuietWaiter::close);
        }
    }
}
