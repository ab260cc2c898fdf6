package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about locks that are shared with clients of other kinds. */
@Tag("slow")
class PlainKeysTest {

    private static final String BESIDE = "leasehold:(plain):{x}";
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<Leasehold> clients = new ArrayList<>();

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private ForeignClient foreign;

    @BeforeEach
    void start() {
        foreign = new ForeignClient(redis.get().commands());
    }

    @AfterEach
    void stop() {
        clients.forEach(Leasehold::close);
    }

    private Leasehold client() {
        return client(redis.get().uri() + "?leasehold.keys=plain");
    }

    private Leasehold client(String uri) {
        Leasehold client = Leasehold.connect(uri);
        clients.add(client);
        return client;
    }

    private void awaitQueue(long length) {
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> redis.get().commands().llen(BESIDE + ":queue") == length);
    }

    private static HolderInfo holder(Leasehold client) throws Exception {
        List<LockInfo> found = client.locks("x");
        assertThat(found).hasSize(1);
        return found.get(0).holder();
    }

    @Test
    void readersAndPermitsAreRefusedWithTheReason() {
        Leasehold client = client();
        assertThatThrownBy(() -> client.readWriteLock("x"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("leasehold.keys=plain");
        assertThatThrownBy(() -> client.semaphore("x", 2))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("leasehold.keys=plain");
    }

    @Test
    void ourHoldExcludesForeignOnesUntilItIsReleased() throws Exception {
        Lease lease = client().lock("x").acquire();
        assertThat(foreign.tryLock("x", LONG)).isNull();
        assertThat(redis.get().commands().pttl("x")).isBetween(10_000L, 30_000L);
        assertThat(foreign.unlock("x", "a value of theirs")).isFalse();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(foreign.tryLock("x", LONG)).isNotNull();
    }

    @Test
    void eachGrantHasAnotherValueAndNoForeignReleaseFits() throws Exception {
        Leasehold client = client();
        Lease first = client.lock("x").acquire();
        String value = redis.get().commands().get("x");
        first.release();
        Lease second = client.lock("x").acquire();
        assertThat(foreign.unlock("x", value)).isFalse();
        second.extend(Duration.ofSeconds(40));
        assertThat(second.isValid()).isTrue();
    }

    @Test
    void ourLeaseRunsOutForForeignClientsByItsOwnTimeToLive() throws Exception {
        Leasehold client = client();
        Lease lease = client.lock(
                        "x",
                        LockOptions.defaults()
                                .withLeaseDuration(Duration.ofMillis(300))
                                .withAutoRenew(false))
                .acquire();
        String value = foreign.lock("x", LONG);
        assertThat(lease.isValid()).isFalse();
        assertThat(value).isNotNull();
    }

    @Test
    void aForeignHoldExcludesOursAndItsReleaseIsFound() throws Exception {
        Leasehold client = client();
        String value = foreign.tryLock("x", LONG);
        assertThat(client.lock("x").tryAcquire()).isEmpty();
        assertThat(client.lock("x").tryAcquire(Duration.ofMillis(50))).isEmpty();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        awaitQueue(1);
        assertThat(redis.get().commands().exists(BESIDE + ":token")).isZero();
        assertThat(foreign.unlock("x", value)).isTrue();
        Lease lease = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(foreign.tryLock("x", LONG)).isNull();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aWaiterOutlastsTheKeyOfAForeignHolderThatDied() throws Exception {
        Leasehold client = client();
        long start = System.nanoTime();
        assertThat(foreign.tryLock("x", Duration.ofMillis(700))).isNotNull();
        client.lock("x").acquire().close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(699));
    }

    @Test
    void aForeignKeyWithoutAnEndIsBusyWithoutAnEnd() throws Exception {
        redis.get().commands().set("x", "for ever");
        Leasehold client = client();
        assertThat(client.lock("x").tryAcquire(Duration.ofMillis(100))).isEmpty();
        HolderInfo holder = holder(client);
        assertThat(holder.timeLeft()).isNull();
        assertThat(holder.until()).isNull();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        awaitQueue(1);
        redis.get().commands().del("x");
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
    }

    @Test
    void aKeyOfAnotherTypeIsAnErrorAndIsLeftAlone() throws Exception {
        redis.get().commands().rpush("x", "precious");
        assertThatThrownBy(() -> client().lock("x").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("another program");
        assertThat(redis.get().commands().lrange("x", 0, -1)).containsExactly("precious");
    }

    @Test
    void aNewerLayoutIsNoForeignValue() throws Exception {
        redis.get().commands().set("x", "leasehold|2|whatever");
        assertThatThrownBy(() -> client().lock("x").acquire()).hasMessageContaining("newer version");
    }

    @Test
    void foreignHoldersAreShownAsSuchAndTheirValueIsNot() throws Exception {
        Leasehold client = client();
        client.lock("x").acquire().close();
        String value = foreign.tryLock("x", LONG);
        HolderInfo holder = holder(client);
        assertThat(holder.owner()).isEqualTo("another client, not of Leasehold");
        assertThat(holder.token()).isZero();
        assertThat(holder.timeLeft()).isBetween(Duration.ofSeconds(1), LONG);
        assertThat(holder.toString()).doesNotContain(value);
        assertThat(client.locks("*")).extracting(LockInfo::name).containsExactly("x");
        redis.get().commands().set("never ours", "value");
        assertThat(client.locks("never ours")).hasSize(1);
        assertThat(client.locks("never*")).isEmpty();
    }

    @Test
    void aForeignLeaseCannotBeBroken() throws Exception {
        Leasehold client = client();
        String value = foreign.tryLock("x", LONG);
        for (long token : new long[] {0, 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> client.breakLock("x", token))
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("no token names")
                    .hasMessageNotContaining(value);
        }
        assertThat(foreign.unlock("x", value)).isTrue();
    }

    @Test
    void ourClientsKeepOrderWhileAForeignOneBargesIn() throws Exception {
        String value = foreign.tryLock("x", LONG);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(client().lock("x").acquireAsync());
            awaitQueue(i + 1);
        }
        // Not every barging succeeds: the first in the queue is quick.
        for (int i = 0; i < 5 && value != null; i++) {
            foreign.unlock("x", value);
            value = foreign.tryLock("x", LONG);
        }
        long last = 0;
        for (int i = 0; i < waiting.size(); i++) {
            if (value != null) {
                assertThat(waiting.subList(i, waiting.size())).noneMatch(CompletableFuture::isDone);
                foreign.unlock("x", value);
            }
            Lease lease = waiting.get(i).get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(lease.token()).isGreaterThan(last);
            last = lease.token();
            assertThat(waiting.subList(i + 1, waiting.size())).noneMatch(CompletableFuture::isDone);
            assertThat(foreign.tryLock("x", LONG)).isNull();
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
            value = foreign.tryLock("x", LONG);
        }
    }

    @Test
    void aWaiterThatBecomesFirstLooksAtOnce() throws Exception {
        String value = foreign.tryLock("x", LONG);
        CompletableFuture<Lease> impatient = client().lock("x").acquireAsync();
        awaitQueue(1);
        try (QuietWaiter patient = quietWaiter()) {
            assertThat(patient.place()).isEqualTo(2);
            int doubts = patient.doubts();
            impatient.cancel(true);
            patient.awaitDoubt(doubts);
            assertThat(patient.place()).isEqualTo(1);
            doubts = patient.doubts();
            foreign.unlock("x", value);
            patient.awaitDoubt(doubts);
        }
    }

    /** A waiter who never asks of its own accord looks, and so has a reason to ask. */
    @Test
    void aForeignReleaseIsFoundByLooking() throws Exception {
        String value = foreign.tryLock("x", LONG);
        try (QuietWaiter waiter = quietWaiter()) {
            assertThat(waiter.place()).isEqualTo(1);
            int doubts = waiter.doubts();
            foreign.unlock("x", value);
            waiter.awaitDoubt(doubts);
        }
    }

    private QuietWaiter quietWaiter() {
        return QuietWaiter.to(redis.get().uri() + "?leasehold.keys=plain", "quiet", Claim.EXCLUSIVE);
    }

    @Test
    void onlyTheFirstInTheQueueLooks() throws Exception {
        String value = foreign.tryLock("x", LONG);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(client().lock("x").acquireAsync());
            awaitQueue(i + 1);
        }
        redis.get().commands().configResetstat();
        long start = System.nanoTime();
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        String stats = redis.get().commands().info("commandstats");
        double seconds = (System.nanoTime() - start) / 1e9;
        java.util.regex.Matcher looks =
                java.util.regex.Pattern.compile("cmdstat_pttl:calls=(\\d+)").matcher(stats);
        // One who looks from 2 ms on, ever more rarely, makes fewer than 40 in a second; ten would make ten times as
        // many. On a busy machine they are fewer.
        assertThat(looks.find() ? Integer.parseInt(looks.group(1)) / seconds : 0)
                .isLessThan(60.0);
        await().until(() -> lookers() == 1);
        for (int i = 0; i < 20; i++) {
            assertThat(lookers()).isLessThanOrEqualTo(1);
        }
        foreign.unlock("x", value);
        waiting.get(0).get(A_MINUTE, TimeUnit.SECONDS).close();
    }

    /** Returns how many connections have looked last. */
    private long lookers() {
        return redis.get()
                .commands()
                .clientList()
                .lines()
                .filter(line -> line.contains(" cmd=pttl "))
                .count();
    }

    @Test
    void ourAndForeignClientsCountAndLoseNothing() throws Exception {
        int foreigners = 3;
        int ours = 4;
        int rounds = 60;
        int[] counter = new int[1];
        Leasehold[] two = {client(), client()};
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < foreigners; i++) {
                ForeignClient own = new ForeignClient(redis.get().connect().sync());
                all.add(threads.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        String value = own.lock("x", LONG);
                        increment(counter);
                        assertThat(own.unlock("x", value)).isTrue();
                    }
                }));
            }
            for (int i = 0; i < ours; i++) {
                Leasehold client = two[i % 2];
                all.add(threads.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        client.lock("x").run(lease -> increment(counter));
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(A_MINUTE, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(counter[0]).isEqualTo((foreigners + ours) * rounds);
    }

    /** Loses counts unless it is done by one at a time. */
    private static void increment(int[] counter) {
        int seen = counter[0];
        Thread.yield();
        counter[0] = seen + 1;
    }

    @Test
    void plainLocksAndOthersOfTheSameNameAreDifferentLocks() throws Exception {
        Lease plain = client().lock("x").acquire();
        Lease own = client(redis.get().uri()).lock("x").acquire();
        CompletableFuture<Lease> nextPlain = client().lock("x").acquireAsync();
        awaitQueue(1);
        CompletableFuture<Lease> nextOwn = client(redis.get().uri()).lock("x").acquireAsync();
        await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 1);
        own.release();
        assertThat(nextOwn.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
        assertThat(nextPlain).isNotDone();
        plain.release();
        assertThat(nextPlain.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
    }

    @Test
    void unsharableOptionsAreRefusedBeforeAnythingIsSent() throws Exception {
        assertThatThrownBy(() -> client(redis.get().uri() + "?leasehold.keys=plain&leasehold.namespace=n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("namespace");
        assertThatThrownBy(() -> client(redis.get().uri() + "?leasehold.keys=fancy"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plain");
        assertThatThrownBy(() -> client().lock("leasehold:{y}:token").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("begins with");
        assertThat(redis.get().commands().keys("*")).isEmpty();
    }
}
