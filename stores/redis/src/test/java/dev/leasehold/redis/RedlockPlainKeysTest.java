package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about locks of a quorum that are shared with other clients of the published algorithm. */
@Tag("slow")
class RedlockPlainKeysTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private RedlockFixture fixture;
    private ForeignRedlock foreign;

    @BeforeEach
    void start() {
        fixture = RedlockFixture.opened(3);
        foreign = new ForeignRedlock(fixture.servers, 1);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private Leasehold client() {
        return fixture.client(fixture.store.withPlainKeys(), Duration.ofSeconds(2));
    }

    @Test
    void ourHoldExcludesForeignOnesUntilItIsReleased() throws Exception {
        Lease lease = client().lock("x").acquire();
        assertThat(foreign.tryLock("x", LONG)).isNull();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(foreign.tryLock("x", LONG)).isNotNull();
    }

    @Test
    void aNameThatCannotBeAKeyIsRefusedUnasked() {
        Leasehold client = client();
        fixture.servers.forEach(server -> server.commands().configResetstat());
        assertThatThrownBy(() -> client.lock("leasehold:x").tryAcquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Choose another name");
        assertThatThrownBy(() -> client.breakLock("leasehold:x", 1)).hasMessageContaining("Choose another name");
        assertThat(fixture.servers)
                .noneMatch(server -> server.commands().info("commandstats").contains("cmdstat_evalsha"));
    }

    @Test
    void aForeignHoldExcludesOursUntilItIsReleased() throws Exception {
        List<String> values = foreign.tryLock("x", LONG);
        Leasehold client = client();
        assertThat(client.lock("x").tryAcquire()).isEmpty();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        assertThat(client.locks("x").get(0).holder()).isNotNull();
        assertThat(waiting).isNotDone();
        foreign.unlock("x", values);
        Lease lease = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(foreign.tryLock("x", LONG)).isNull();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(foreign.tryLock("x", LONG)).isNotNull();
    }

    /** It was found only when the waiter asked again by itself, every five seconds. */
    @Test
    void aForeignReleaseIsFoundByLooking() throws Exception {
        List<String> values = foreign.tryLock("x", LONG);
        try (QuietWaiter waiter = new QuietWaiter(fixture.store.withPlainKeys(), "quiet", Claim.EXCLUSIVE)) {
            assertThat(waiter.place()).isEqualTo(1);
            int doubts = waiter.doubts();
            foreign.unlock("x", values);
            waiter.awaitDoubt(doubts);
        }
    }

    @Test
    void aWaiterOutlastsAForeignHoldThatIsNotReleased() throws Exception {
        long start = System.nanoTime();
        assertThat(foreign.tryLock("x", Duration.ofSeconds(1))).isNotNull();
        client().lock("x").acquire().close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(700));
    }

    /** A hold at the gate alone once kept waiters until it ran out. */
    @Test
    void aForeignKeyOnAMinorityIsNoHoldAndStays() throws Exception {
        Leasehold client = client();
        for (int i = 0; i < 3; i++) {
            for (int node = 0; node < 3; node++) {
                String lock = "x" + i + node;
                fixture.server(node)
                        .commands()
                        .set(lock, "a value of theirs", io.lettuce.core.SetArgs.Builder.px(60_000));
                Lease lease = client.lock(lock)
                        .tryAcquire(Duration.ofSeconds(A_MINUTE))
                        .orElseThrow();
                lease.extend(Duration.ofSeconds(5));
                assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
                assertThat(fixture.server(node).commands().get(lock)).isEqualTo("a value of theirs");
                assertThat(fixture.server((node + 1) % 3).commands().exists(lock))
                        .isZero();
            }
        }
    }

    @Test
    void aForeignHoldIsNotBroken() throws Exception {
        List<String> values = foreign.tryLock("x", LONG);
        Leasehold client = client();
        assertThatThrownBy(() -> client.breakLock("x", 0)).isInstanceOf(LockException.class);
        assertThat(fixture.server(2).commands().get("x")).isEqualTo(values.get(2));
    }

    @Test
    void plainKeysCannotBeHadWithANamespace() {
        assertThatThrownBy(() -> Leasehold.builder()
                        .store(fixture.store.withPlainKeys())
                        .namespace("mine")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("namespace");
    }

    @Test
    void underContentionNobodyHoldsTwiceAndAllAreServed() throws Exception {
        int rounds = 12;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Leasehold client = client();
            all.add(threads.submit(() -> {
                for (int round = 0; round < rounds; round++) {
                    Lease lease = client.lock("x").acquire();
                    overlaps.addAndGet(inside.getAndIncrement());
                    Thread.yield();
                    inside.decrementAndGet();
                    lease.release();
                }
                return null;
            }));
            ForeignRedlock other = new ForeignRedlock(fixture.servers, i);
            all.add(threads.submit(() -> {
                for (int round = 0; round < rounds; round++) {
                    List<String> values = other.lock("x", LONG);
                    overlaps.addAndGet(inside.getAndIncrement());
                    Thread.yield();
                    inside.decrementAndGet();
                    other.unlock("x", values);
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(A_MINUTE, TimeUnit.SECONDS);
        }
        threads.shutdownNow();
        assertThat(overlaps).hasValue(0);
    }
}
