package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real servers forget, stop, fill up and come back, in real time. */
@Tag("slow")
class FaultsTest extends FaultsFixture {

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
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(60))).isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(next.isValid()).isTrue();
        assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aRestartWithoutDataIsToldAtOnceAndTokensIncrease() throws Exception {
        // Its first renewal would come after minutes.
        Lease lease =
                client(redis.get().uri(), Duration.ofMinutes(10)).lock("x").acquire();
        redis.get().kill();
        redis.get().restart();
        await().until(() -> lease.state() == LeaseState.LOST);
        assertThat(direct().lock("x").acquire().token()).isGreaterThan(lease.token());
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
        await().until(() -> redis.get().commands().lindex(queue, 0), now -> now != null && !now.equals(before));
        Leasehold patient = Leasehold.builder()
                .uri(redis.get().uri())
                .storeTimeout(Duration.ofMinutes(10))
                .build();
        clients.add(patient);
        assertThatThrownBy(() -> patient.lock("y").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Redis is full");
        held.release();
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aServerThatComesLateIsWaitedFor() throws Exception {
        redis.get().kill();
        CompletableFuture<Lease> claim = direct().lock("x").acquireAsync();
        assertThat(claim).isNotDone();
        redis.get().restart();
        assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
    }

    @Test
    void aServerThatPausesItsClientsDelaysAndLosesNothing() throws Exception {
        Leasehold client = client(redis.get().uri(), Duration.ofMinutes(1));
        Lease lease = client.lock("x").acquire();
        redis.get().commands().clientPause(1500);
        lease.extend(Duration.ofMinutes(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aServerAsleepForALeaseCostsTheLeaseInTime() throws Exception {
        Leasehold client = client(redis.get().uri(), Duration.ofSeconds(1));
        Lease lease = client.lock("x").acquire();
        try (StatefulRedisConnection<String, String> admin = redis.get().connect()) {
            RedisFuture<String> sleep = admin.async()
                    .dispatch(
                            CommandType.DEBUG,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8).add("SLEEP").add("100"));
            await().until(() -> lease.state() == LeaseState.LOST);
            assertThat(sleep.toCompletableFuture()).isNotDone();
            // It would send its command again.
            admin.close();
            redis.get().kill();
            redis.get().restart();
            Lease next = direct().lock("x").acquire();
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(next.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void aStoppedServerCostsTheLeaseInTimeAndServesAgain() throws Exception {
        Leasehold client = client(redis.get().uri(), Duration.ofSeconds(1));
        Lease lease = client.lock("x").acquire();
        redis.get().signal("STOP");
        RedlockFixture.awaitLossWithin(lease, Duration.ofSeconds(1));
        CompletableFuture<Lease> next = client.lock("x").acquireAsync();
        redis.get().signal("CONT");
        assertThat(next.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
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
        Lease handedOver = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(handedOver.token()).isGreaterThan(passedOn.token());
        assertThat(handedOver.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        Leasehold impatient = Leasehold.builder()
                .uri(redis.get().uri())
                .storeTimeout(Duration.ofMillis(500))
                .build();
        clients.add(impatient);
        // A question may just be under way when the time is over; then its outcome is unknown.
        await().untilAsserted(() -> assertThatThrownBy(
                        () -> impatient.lock("new").acquire())
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> {
                    assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT);
                    assertThat(e).hasMessageContaining("maxmemory");
                }));
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
    void nothingStaysBehindWhenAWaiterGivesUp() throws Exception {
        Lease lease = direct().lock("x").acquire();
        Optional<Lease> none = direct().lock("x").tryAcquire(Duration.ofMillis(200));
        assertThat(none).isEmpty();
        await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 0);
        lease.release();
        assertThat(redis.get().commands().keys("*")).containsExactly("leasehold:{x}:token");
        assertThat(redis.get().commands().ttl("leasehold:{x}:token")).isBetween(172_000L, 172_810L);
    }

    @Test
    void theThreadsAreFewNamedAndGoneAfterClosing() throws Exception {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        Leasehold client = direct();
        Lease held = client.lock("x").acquire();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        Leasehold other = direct();
        assertThat(other.lock("x").tryAcquire(Duration.ofMillis(100))).isEmpty();
        assertThat(threads("leasehold-redis", others)).hasSizeBetween(1, 12).allMatch(Thread::isDaemon);
        waiting.cancel(true);
        held.close();
        client.close();
        other.close();
        await().untilAsserted(() -> assertThat(threads("leasehold", others)).isEmpty());
    }

    private static List<Thread> threads(String name, Set<Thread> others) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name) && !others.contains(thread))
                .toList();
    }
}
