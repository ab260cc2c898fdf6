package dev.leasehold.redis.quorum;

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
import dev.leasehold.redis.RedlockFixture;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about faults of the masters of a quorum and of the connections to them, in real time on real servers. */
@Tag("slow")
class RedlockFaultsTest {

    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final String KEY = "leasehold:{x}";
    /** A store time-out that no test lives to see: a caller that waits for it makes the test red. */
    private static final Duration NEVER = Duration.ofMinutes(10);

    private RedlockFixture fixture;

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void open(int count) {
        fixture = RedlockFixture.opened(count);
    }

    @Test
    void aQuorumOfFiveWorksWithoutTwo() throws Exception {
        open(5);
        Lease lease = fixture.client().lock("x").acquire();
        fixture.server(1).kill();
        fixture.server(3).kill();
        lease.extend(Duration.ofSeconds(20));
        Leasehold other = fixture.client();
        CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
        await().until(() -> fixture.server(0).commands().keys("*queue").size()
                        + fixture.server(2).commands().keys("*queue").size()
                        + fixture.server(4).commands().keys("*queue").size()
                > 0);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        Lease next = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aLockThatTheGateHasForgottenIsBusyForATry() throws Exception {
        open(5);
        Lease lease = fixture.client().lock("x").acquire();
        Leasehold other = fixture.client(fixture.store, RedlockFixture.LEASE, NEVER);
        CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
        fixture.awaitWaiters("x", 1);
        int gate = fixture.gate("x");
        waiting.cancel(false);
        fixture.awaitWaiters("x", 0);
        fixture.server(gate).commands().del(KEY);
        long start = System.nanoTime();
        assertThat(other.lock("x").tryAcquire(Duration.ofMillis(300))).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(290));
        assertThat(lease.isValid()).isTrue();
        waiting = other.lock("x").acquireAsync();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }

    @Test
    void aQuorumOfFiveWithoutThreeNamesEachNodesAnswer() throws Exception {
        open(5);
        Leasehold client = fixture.client(fixture.store, RedlockFixture.LEASE, NEVER);
        client.lock("x").acquire().close();
        for (int i = 2; i < 5; i++) {
            fixture.server(i).kill();
        }
        assertThatThrownBy(() -> client.lock("x").tryAcquire())
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.nodes()).as(e.getMessage()).hasSize(5);
                    for (int i = 0; i < 5; i++) {
                        String answer = e.nodes().get(i).answer();
                        assertThat(e.nodes().get(i).node())
                                .contains(":" + fixture.server(i).port());
                        if (i < 2) {
                            assertThat(answer).isEqualTo("granted");
                        } else {
                            assertThat(answer)
                                    .contains("no connection can be made")
                                    .contains("Connection refused");
                        }
                        assertThat(e).hasMessageContaining(e.nodes().get(i).toString());
                    }
                    assertThat(e.backIn()).isNull();
                    assertThat(e.isStoreDown()).isTrue();
                });
        fixture.awaitNothingLeft("x", 2);
    }

    @Test
    void mastersThatAnswerNothingAreFoundToBeDownToo() throws Exception {
        open(3);
        Leasehold client =
                fixture.client(fixture.proxied().withNodeTimeout(Duration.ofMillis(100)), RedlockFixture.LEASE, NEVER);
        // A majority is enough to acquire, and a connection that is only being made would have another reason to be
        // down.
        Lease first = client.lock("x").acquire();
        fixture.awaitHeldEverywhere("x");
        first.close();
        fixture.proxies.get(0).hold(FaultProxy.Way.REQUESTS);
        fixture.proxies.get(2).hold(FaultProxy.Way.REQUESTS);
        long start = System.nanoTime();
        assertThatThrownBy(() -> client.lock("x").tryAcquire(Duration.ofSeconds(3)))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.isStoreDown()).isTrue();
                    // After 1.5 s of silence its connection is given up, perhaps with a claim; another is made in vain.
                    assertThat(e.nodes().get(0).answer())
                            .matches(
                                    "no answer within 100 ms|.*there is no connection: it is being made.*"
                                            + "|.*nothing came in for 2 s.*|.*may have been carried out: .*Connection closed.*");
                });
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(1));
        fixture.proxies.forEach(FaultProxy::letGo);
        fixture.awaitNothingLeft("x", 3);
    }

    @Test
    void aConnectionThatBreaksAndIsMadeAgainIsNoFailure() throws Exception {
        open(3);
        Leasehold client = fixture.client(fixture.proxied(), RedlockFixture.LEASE);
        client.lock("x").acquire().close();
        for (int i = 0; i < 5; i++) {
            fixture.proxies.forEach(FaultProxy::cut);
            assertThat(client.lock("x" + i).tryAcquire()).isPresent();
        }
    }

    /** They were asked again and again until the store timeout, although no time could change it. */
    @Test
    void mastersWithOtherRulesRefuseAtOnceAndSayWhatToDo() throws Exception {
        open(3);
        fixture.client().lock("x").acquire().close();
        Leasehold other = fixture.client(fixture.store.withMaxLease(Duration.ofMinutes(2)), RedlockFixture.LEASE);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> other.lock("x").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("LEASEHOLD_QUORUM 60000 0")
                    .hasMessageContaining("maxLeaseDuration")
                    .hasMessageContaining(":" + fixture.server(1).port());
        }
    }

    private static void setMarker(RedisProcess server, String marker) {
        server.commands().set("leasehold:quorum", marker);
    }

    @Test
    void oneMasterOfAnotherQuorumIsOnlyOneLess() throws Exception {
        open(3);
        Leasehold client = fixture.client();
        String other = fixture.server(0).commands().get("leasehold:quorum").replace("|60000|", "|120000|");
        setMarker(fixture.server(0), other);
        try (Lease lease = client.lock("x").acquire()) {
            assertThat(lease.isValid()).isTrue();
        }
        setMarker(fixture.server(1), other);
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("LEASEHOLD_QUORUM 120000 0");
        fixture.awaitNothingLeft("x", 3);
    }

    @Test
    void aMasterThatRefusesToConnectSaysWhy() throws Exception {
        open(3);
        fixture.client().lock("x").acquire().close();
        for (int i = 0; i < 2; i++) {
            fixture.server(i).commands().configSet("requirepass", "secret");
        }
        assertThatThrownBy(() -> fixture.client().lock("x").acquire())
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the server wants a password");
    }

    /** The slow node must not cost the others anything; a limit of one second does not hide that it is waited for. */
    @Test
    void oneSlowNodeOfFiveDoesNotMakeTheQuorumSlow() throws Exception {
        open(5);
        Leasehold client = fixture.client(fixture.proxied(), RedlockFixture.LEASE);
        median(client);
        Duration slow = Duration.ofMillis(200);
        fixture.proxies.get(2).delay(slow);
        assertThat(median(client)).isLessThan(slow.dividedBy(2));
    }

    private static Duration median(Leasehold client) throws Exception {
        long[] times = new long[21];
        for (int i = 0; i < times.length; i++) {
            long start = System.nanoTime();
            Lease lease = client.lock("lock" + i).acquire();
            times[i] = System.nanoTime() - start;
            lease.releaseAsync();
        }
        Arrays.sort(times);
        return Duration.ofNanos(times[times.length / 2]);
    }

    @Test
    void aClaimThatWasGivenUpAndComesLateIsRemoved() throws Exception {
        open(3);
        Leasehold client = fixture.client(fixture.proxied(), RedlockFixture.LEASE, Duration.ofSeconds(2));
        client.lock("x").acquire().close();
        fixture.proxies.forEach(proxy -> proxy.hold(FaultProxy.Way.REQUESTS));
        assertThatThrownBy(() -> client.lock("x").acquire()).isInstanceOf(StoreUnavailableException.class);
        fixture.proxies.forEach(FaultProxy::letGo);
        fixture.awaitNothingLeft("x", 3);
        assertThat(fixture.client().lock("x").tryAcquire()).isPresent();
    }

    @Test
    void aClaimThatAPausedMasterCarriesOutIsRemoved() throws Exception {
        open(3);
        Leasehold client = fixture.client(
                fixture.store.withNodeTimeout(Duration.ofMillis(100)), Duration.ofSeconds(5), Duration.ofSeconds(1));
        client.lock("x").acquire().close();
        for (int i = 0; i < 2; i++) {
            fixture.server(i).commands().clientPause(1500);
        }
        assertThatThrownBy(() -> client.lock("x").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        fixture.awaitNothingLeft("x", 3);
    }

    @Test
    void aRepeatedReleaseDoesNotHarmTheNextHolder() throws Exception {
        open(3);
        Leasehold client = fixture.client(fixture.proxied(), RedlockFixture.LEASE, Duration.ofSeconds(2));
        Lease lease = client.lock("x").acquire();
        fixture.proxies.forEach(proxy -> proxy.hold(FaultProxy.Way.ANSWERS));
        CompletableFuture<LeaseState> release = lease.releaseAsync();
        Lease next = fixture.client().lock("x").acquire();
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(lease.isValid()).isFalse();
        fixture.proxies.forEach(FaultProxy::cut);
        fixture.proxies.forEach(FaultProxy::letGo);
        release.handle((state, failure) -> true).get(A_MINUTE, TimeUnit.SECONDS);
        next.extend(Duration.ofSeconds(20));
        assertThat(next.state()).isEqualTo(LeaseState.HELD);
        assertThat(client.lock("x").tryAcquire()).isEmpty();
        assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(client.lock("x").tryAcquire(Duration.ofSeconds(A_MINUTE))).isPresent();
    }

    @Test
    void manyThatRaceAreServedAndFailuresLeaveNothing() throws Exception {
        open(3);
        AtomicInteger inside = new AtomicInteger();
        List<CompletableFuture<Long>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Leasehold client = fixture.client();
            for (int j = 0; j < 2; j++) {
                all.add(client.lock("x").acquireAsync().thenCompose(lease -> {
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    inside.decrementAndGet();
                    return lease.releaseAsync().thenApply(state -> lease.token());
                }));
            }
            all.add(client.lock("x")
                    .tryAcquireAsync(Duration.ofMillis(10))
                    .thenCompose(lease -> lease.map(Lease::releaseAsync)
                            .orElse(CompletableFuture.completedFuture(LeaseState.RELEASED)))
                    .thenApply(state -> 0L));
        }
        for (CompletableFuture<Long> one : all) {
            one.get(A_MINUTE, TimeUnit.SECONDS);
        }
        fixture.awaitNothingLeft("x", 3);
    }

    @Test
    void anEvenNumberOfNodesThatIsSplitInHalfEndsClearly() throws Exception {
        open(4);
        long token = System.currentTimeMillis() * 1000;
        String half = "leasehold|1|someone:1|" + token + "|0|" + token + "|someone else";
        for (int i = 0; i < 2; i++) {
            fixture.server(i).commands().set(KEY, half, io.lettuce.core.SetArgs.Builder.px(5000));
            fixture.server(i).commands().set(KEY + ":token", Long.toString(token));
        }
        Leasehold client = fixture.client(fixture.store.withNodeTimeout(Duration.ofMillis(100)), RedlockFixture.LEASE);
        assertThat(client.lock("x").tryAcquire()).isEmpty();
        await().untilAsserted(() -> {
            assertThat(fixture.server(2).commands().exists(KEY)).isZero();
            assertThat(fixture.server(3).commands().exists(KEY)).isZero();
        });
        Lease lease = client.lock("x").acquire();
        assertThat(lease.token()).isGreaterThan(token);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void namespacesDoNotShareLocks() throws Exception {
        open(3);
        List<Lease> leases = new ArrayList<>();
        for (String namespace : List.of("one", "two", "")) {
            Leasehold client = fixture.add(Leasehold.builder()
                    .store(fixture.store)
                    .options(LockOptions.defaults().withLeaseDuration(RedlockFixture.LEASE))
                    .namespace(namespace)
                    .build());
            leases.add(client.lock("x").tryAcquire().orElseThrow());
        }
        assertThat(leases).allMatch(Lease::isValid);
        // It may be the one of the three that has not answered yet.
        await().untilAsserted(() -> assertThat(fixture.server(0).commands().keys("*{x}"))
                .containsExactlyInAnyOrder(KEY, "leasehold:one:{x}", "leasehold:two:{x}"));
    }

    @Test
    void thoseWhoWaitAreServedAlsoWhenTheGateIsKilled() throws Exception {
        open(5);
        Lease lease = fixture.client().lock("x").acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(fixture.client(fixture.store, Duration.ofSeconds(3))
                    .lock("x")
                    .acquireAsync());
        }
        fixture.awaitWaiters("x", 3);
        fixture.server(fixture.gate("x")).kill();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        for (CompletableFuture<Lease> one : waiting) {
            one.thenAccept(Lease::releaseAsync);
        }
        for (CompletableFuture<Lease> one : waiting) {
            assertThat(one.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void clientsAreServedInTheOrderInWhichTheyCame() throws Exception {
        open(3);
        Lease lease = fixture.client().lock("x").acquire();
        List<Integer> served = new ArrayList<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Leasehold client = fixture.client();
            all.add(client.lock("x").acquireAsync().thenCompose(got -> {
                served.add(number);
                return got.releaseAsync();
            }));
            fixture.awaitWaiters("x", i + 1);
        }
        lease.release();
        for (CompletableFuture<?> one : all) {
            one.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
        fixture.awaitNothingLeft("x", 3);
    }
}
