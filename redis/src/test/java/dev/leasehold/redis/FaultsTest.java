package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.FaultProxy;
import dev.leasehold.testkit.Started;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults of a server and of the connections to it, in real time on real servers. */
@Timeout(value = 90, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultsTest {

    private final List<Leasehold> clients = new ArrayList<>();

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private FaultProxy proxy;

    @BeforeEach
    void start() {
        proxy = FaultProxy.to(redis.get().port());
    }

    @AfterEach
    void stop() {
        redis.get().signal("CONT");
        proxy.letGo();
        clients.forEach(Leasehold::close);
        proxy.close();
    }

    private Leasehold direct() {
        return client(redis.get().uri(), Duration.ofSeconds(30));
    }

    private Leasehold proxied() {
        return client("redis://localhost:" + proxy.port(), Duration.ofSeconds(30));
    }

    private Leasehold client(String uri, Duration lease) {
        Leasehold client = Leasehold.builder()
                .uri(uri)
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .build();
        clients.add(client);
        return client;
    }

    private static void awaitState(Lease lease, LeaseState state, Duration within) {
        await().atMost(within).pollInterval(Duration.ofMillis(5)).until(() -> lease.state() == state);
    }

    @Test
    void scriptsThatTheServerForgotAreSentAgain() throws Exception {
        Leasehold client = direct();
        for (int i = 0; i < 5; i++) {
            redis.get().commands().scriptFlush();
            Lease lease = client.lock("x").acquire();
            redis.get().commands().scriptFlush();
            lease.extend(Duration.ofSeconds(40));
            redis.get().commands().scriptFlush();
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void aFlushIsALossAtTheNextLookAndTokensIncrease() throws Exception {
        Leasehold client = direct();
        Lease lease = client.lock("x").acquire();
        redis.get().commands().flushall();
        Lease next = direct().lock("x").acquire();
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(60)))
                .isInstanceOf(dev.leasehold.LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(next.isValid()).isTrue();
        assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aRestartWithoutDataIsToldAtOnceAndTokensIncrease() throws Exception {
        Lease lease = direct().lock("x").acquire();
        redis.get().kill();
        redis.get().restart();
        awaitState(lease, LeaseState.LOST, Duration.ofSeconds(5));
        assertThat(direct().lock("x").acquire().token()).isGreaterThan(lease.token());
    }

    @Test
    void aConnectionThatIsCutIsMadeAgainAndNothingIsLost() throws Exception {
        Leasehold client = proxied();
        Lease lease = client.lock("x").acquire();
        for (int i = 0; i < 5; i++) {
            proxy.cut();
            lease.extend(Duration.ofSeconds(30 + i));
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        }
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(direct().lock("x").tryAcquire()).isPresent();
    }

    @Test
    void aConnectionThatDiedInSilenceIsReplaced() throws Exception {
        Leasehold client = proxied();
        Lease lease = client.lock("x").acquire();
        proxy.abandon();
        lease.extend(Duration.ofSeconds(35));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    /** In an inbox no answer is owed, so nobody noticed: each grant cost the time until the next question. */
    @Test
    void anInboxThatDiedInSilenceIsReplacedDuringAWait() throws Exception {
        Lease held = direct().lock("x").acquire();
        Leasehold waiter = client("redis://localhost:" + proxy.port(), Duration.ofSeconds(3));
        CompletableFuture<Lease> waiting = waiter.lock("x").acquireAsync();
        await().until(() -> redis.get().commands().llen("leasehold:{x}:queue") == 1);
        int before = proxy.accepted();
        proxy.abandon();
        // One for commands, one to listen.
        await().atMost(Duration.ofSeconds(15)).until(() -> proxy.accepted() == before + 2);
        await().until(() -> redis.get()
                        .commands()
                        .pubsubNumsub("leasehold:inbox:" + inbox())
                        .get("leasehold:inbox:" + inbox())
                == 2);
        held.release();
        assertThat(waiting.get(10, TimeUnit.SECONDS).isValid()).isTrue();
    }

    private String inbox() {
        return redis.get().commands().pubsubChannels("leasehold:inbox:*").get(0).substring("leasehold:inbox:".length());
    }

    /** Its questions were refused, so its place lapsed, and a lock that was released went to nobody. */
    @Test
    void aFullServerKeepsItsWaitersAndRefusesTries() throws Exception {
        Lease held = direct().lock("x").acquire();
        CompletableFuture<Lease> waiting =
                client(redis.get().uri(), Duration.ofSeconds(3)).lock("x").acquireAsync();
        String queue = "leasehold:{x}:queue";
        await().until(() -> redis.get().commands().llen(queue) == 1);
        redis.get().commands().configSet("maxmemory", "1");
        String before = redis.get().commands().lindex(queue, 0);
        await().atMost(Duration.ofSeconds(8))
                .until(() -> redis.get().commands().lindex(queue, 0), now -> now != null && !now.equals(before));
        long start = System.nanoTime();
        assertThatThrownBy(() -> direct().lock("y").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Redis is full");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        held.release();
        assertThat(waiting.get(5, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aHolderCutOffLosesInTimeAndTheNextTokenIsGreater() throws Exception {
        Leasehold cutOff = client("redis://localhost:" + proxy.port(), Duration.ofSeconds(2));
        Lease lease = cutOff.lock("x").acquire();
        Leasehold other = client(redis.get().uri(), Duration.ofSeconds(2));
        CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
        proxy.blackHole();
        awaitState(lease, LeaseState.LOST, Duration.ofMillis(2500));
        Lease next = waiting.get(10, TimeUnit.SECONDS);
        assertThat(lease.isValid()).isFalse();
        assertThat(next.token()).isGreaterThan(lease.token());
    }

    @Test
    void aClaimWithALostAnswerIsGrantedWhenAskedAgain() throws Exception {
        Leasehold client = proxied();
        client.lock("warm").acquire().close();
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<Lease> claim = client.lock("x").acquireAsync();
        await().until(() -> redis.get().commands().exists("leasehold:{x}") == 1);
        long token = Long.parseLong(redis.get().commands().get("leasehold:{x}").split("\\|")[3]);
        proxy.cut();
        proxy.letGo();
        Lease lease = claim.get(10, TimeUnit.SECONDS);
        assertThat(lease.token()).isEqualTo(token);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aClaimThatWasGivenUpAndArrivesLateIsWithdrawn() throws Exception {
        Leasehold client = Leasehold.builder()
                .uri("redis://localhost:" + proxy.port())
                .storeTimeout(Duration.ofSeconds(3))
                .build();
        clients.add(client);
        client.lock("warm").acquire().close();
        proxy.hold(FaultProxy.Way.REQUESTS);
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN));
        proxy.letGo();
        await().pollDelay(Duration.ofSeconds(1))
                .atMost(Duration.ofSeconds(15))
                .until(() -> redis.get().commands().exists("leasehold:{x}") == 0);
    }

    @Test
    void aServerThatIsNotThereIsNamedAndNothingWasAcquired() {
        int port = Ports.next();
        Leasehold client = Leasehold.builder()
                .uri("redis://user:secret@localhost:" + port)
                .storeTimeout(Duration.ofMillis(700))
                .build();
        clients.add(client);
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.outcome()).isEqualTo(Outcome.NOT_ACQUIRED);
                    assertThat(e).hasMessageContaining("localhost:" + port);
                    assertThat(e).hasStackTraceContaining("refused");
                })
                .satisfies(FaultsTest::showsNoSecret);
    }

    private static void showsNoSecret(Throwable failure) {
        java.io.StringWriter text = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(text));
        assertThat(text.toString()).doesNotContain("secret");
    }

    @Test
    void aServerThatComesLateIsWaitedFor() throws Exception {
        redis.get().kill();
        CompletableFuture<Lease> claim = direct().lock("x").acquireAsync();
        assertThat(claim).isNotDone();
        redis.get().restart();
        assertThat(claim.get(10, TimeUnit.SECONDS).isValid()).isTrue();
    }

    @Test
    void aServerThatPausesItsClientsDelaysAndLosesNothing() throws Exception {
        Leasehold client = client(redis.get().uri(), Duration.ofSeconds(3));
        Lease lease = client.lock("x").acquire();
        redis.get().commands().clientPause(1500);
        lease.extend(Duration.ofSeconds(4));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aServerAsleepForALeaseCostsTheLeaseInTime() throws Exception {
        Leasehold client = client(redis.get().uri(), Duration.ofSeconds(1));
        Lease lease = client.lock("x").acquire();
        try (StatefulRedisConnection<String, String> admin = redis.get().connect()) {
            admin.async()
                    .dispatch(
                            CommandType.DEBUG,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8).add("SLEEP").add("4"));
            awaitState(lease, LeaseState.LOST, Duration.ofMillis(1300));
            Lease next = client.lock("x").acquire();
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void aStoppedServerCostsTheLeaseInTimeAndServesAgain() throws Exception {
        Leasehold client = client(redis.get().uri(), Duration.ofSeconds(1));
        Lease lease = client.lock("x").acquire();
        redis.get().signal("STOP");
        awaitState(lease, LeaseState.LOST, Duration.ofMillis(1300));
        CompletableFuture<Lease> next = client.lock("x").acquireAsync();
        redis.get().signal("CONT");
        assertThat(next.get(10, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }

    @Test
    void aFullServerRefusesClaimsAndServesWhatItHas() throws Exception {
        Leasehold client = direct();
        Lease held = client.lock("held").acquire();
        Lease passedOn = client.lock("passed").acquire();
        CompletableFuture<Lease> waiting = direct().lock("passed").acquireAsync();
        await().until(() -> redis.get().commands().exists("leasehold:{passed}:queue") == 1);
        redis.get().commands().configSet("maxmemory-policy", "noeviction");
        redis.get().commands().configSet("maxmemory", "1");
        held.extend(Duration.ofSeconds(60));
        assertThat(passedOn.release()).isEqualTo(LeaseState.RELEASED);
        Lease handedOver = waiting.get(5, TimeUnit.SECONDS);
        assertThat(handedOver.token()).isGreaterThan(passedOn.token());
        assertThat(handedOver.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        Leasehold impatient = Leasehold.builder()
                .uri(redis.get().uri())
                .storeTimeout(Duration.ofMillis(500))
                .build();
        clients.add(impatient);
        assertThatThrownBy(() -> impatient.lock("new").acquire())
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.outcome()).isEqualTo(Outcome.NOT_ACQUIRED);
                    assertThat(e).hasMessageContaining("maxmemory");
                });
        redis.get().commands().configSet("maxmemory", "0");
        assertThat(client.lock("new").tryAcquire()).isPresent();
    }

    @Test
    void tokensIncreaseWhenTheServersClockIsBehind() throws Exception {
        long future = (System.currentTimeMillis() + 3_600_000) * 1000;
        redis.get().commands().set("leasehold:{x}:token", Long.toString(future));
        try (Lease lease = direct().lock("x").acquire()) {
            assertThat(lease.token()).isEqualTo(future + 1);
        }
        assertThat(direct().lock("x").acquire().token()).isGreaterThan(future + 1);
    }

    @Test
    void aKeyOfAnotherTypeIsLeftAlone() throws Exception {
        redis.get().commands().rpush("leasehold:{x}", "precious");
        assertThatThrownBy(() -> direct().lock("x").acquire())
                .isInstanceOf(dev.leasehold.LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("another program");
        assertThat(redis.get().commands().lrange("leasehold:{x}", 0, -1)).containsExactly("precious");
    }

    @Test
    void aNewerLayoutIsRefusedWithAClearMessage() {
        redis.get().commands().set("leasehold:{x}", "leasehold|2|whatever");
        assertThatThrownBy(() -> direct().lock("x").acquire())
                .isInstanceOf(dev.leasehold.LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("newer version");
        assertThat(redis.get().commands().get("leasehold:{x}")).isEqualTo("leasehold|2|whatever");
    }

    @Test
    void aWrongPasswordIsSaidAtOnceAndNotShown() throws Exception {
        redis.get().commands().configSet("requirepass", "right");
        Leasehold client =
                client("redis://:wrongsecret@localhost:" + redis.get().port(), Duration.ofSeconds(30));
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOf(dev.leasehold.LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("password")
                .satisfies(FaultsTest::showsNoSecret);
        assertThat(client.toString()).doesNotContain("secret");
        assertThat(client("redis://:right@localhost:" + redis.get().port(), Duration.ofSeconds(30))
                        .lock("x")
                        .tryAcquire())
                .isPresent();
    }

    @Test
    void aGrantThatIsNotPushedIsFoundByAsking() throws Exception {
        Leasehold holder = direct();
        Lease lease = holder.lock("x").acquire();
        CompletableFuture<Lease> waiting = client("redis://localhost:" + proxy.port(), Duration.ofSeconds(2))
                .lock("x")
                .acquireAsync();
        await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 1);
        proxy.cut();
        lease.release();
        assertThat(waiting.get(5, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }

    @Test
    void nothingStaysBehindWhenAWaiterGivesUp() throws Exception {
        Lease lease = direct().lock("x").acquire();
        Optional<Lease> none = direct().lock("x").tryAcquire(Duration.ofMillis(200));
        assertThat(none).isEmpty();
        await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 0);
        lease.release();
        assertThat(redis.get().commands().keys("*")).containsExactly("leasehold:{x}:token");
        assertThat(redis.get().commands().ttl("leasehold:{x}:token")).isBetween(600_000L, 604_810L);
    }

    @Test
    void theThreadsAreFewNamedAndGoneAfterClosing() throws Exception {
        Leasehold client = direct();
        Lease held = client.lock("x").acquire();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        Leasehold other = direct();
        assertThat(other.lock("x").tryAcquire(Duration.ofMillis(100))).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("leasehold-redis")))
                .hasSizeLessThanOrEqualTo(12)
                .allMatch(Thread::isDaemon);
        waiting.cancel(true);
        held.close();
        client.close();
        other.close();
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("leasehold")));
    }
}
