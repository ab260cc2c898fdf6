package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.FaultProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections to a real server are cut, silenced and delayed, in real time. */
@Tag("slow")
class ConnectionFaultsTest extends FaultsFixture {

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

    /** A router forgets it before it has said who it is; the database's drivers waited for that for ever. */
    @Test
    void aConnectionThatDiesWhileItIsLetInIsReplaced() throws Exception {
        proxy.blackHole();
        Leasehold client = proxied();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        await().until(() -> proxy.holding() > 0);
        proxy.abandon();
        proxy.letGo();
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
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
        await().until(() -> proxy.accepted() == before + 2);
        await().until(() -> redis.get()
                        .commands()
                        .pubsubNumsub("leasehold:inbox:" + inbox())
                        .get("leasehold:inbox:" + inbox())
                == 2);
        held.release();
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
    }

    private String inbox() {
        return redis.get().commands().pubsubChannels("leasehold:inbox:*").get(0).substring("leasehold:inbox:".length());
    }

    @Test
    void aHolderCutOffLosesInTimeAndTheNextTokenIsGreater() throws Exception {
        Leasehold cutOff = client("redis://localhost:" + proxy.port(), Duration.ofSeconds(2));
        Lease lease = cutOff.lock("x").acquire();
        Leasehold other = client(redis.get().uri(), Duration.ofSeconds(2));
        CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
        proxy.blackHole();
        RedlockFixture.awaitLossWithin(lease, Duration.ofSeconds(2));
        Lease next = waiting.get(A_MINUTE, TimeUnit.SECONDS);
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
        Lease lease = claim.get(A_MINUTE, TimeUnit.SECONDS);
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
        await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> client.lock("warm").acquire().release() == LeaseState.RELEASED);
        proxy.hold(FaultProxy.Way.REQUESTS);
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN));
        proxy.letGo();
        await().pollDelay(Duration.ofSeconds(1))
                .until(() -> redis.get().commands().exists("leasehold:{x}") == 0);
    }

    /** The new connection is held up, so that it is not there yet when the withdrawal is asked for. */
    @Test
    void aClaimWhoseConnectionIsGoneIsWithdrawnOnAnother() throws Exception {
        try (RealTime time = new RealTime();
                Store store = new RedisStoreProvider()
                        .create(StoreUri.parse("redis://localhost:" + proxy.port()))
                        .open(new StoreContext("c", "owner", "", time, Duration.ofSeconds(20), new NoSignals()))) {
            store.inspect(NamePattern.of("none")).toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
            proxy.hold(FaultProxy.Way.ANSWERS);
            ClaimId id = new ClaimId("c", 1);
            CompletableFuture<?> claim = store.claim(new Claim(id, "x", Duration.ofSeconds(30), 0, true))
                    .toCompletableFuture();
            await().until(() -> redis.get().commands().exists("leasehold:{x}") == 1);
            proxy.blackHole();
            proxy.cut();
            await().until(claim::isCompletedExceptionally);
            CompletableFuture<?> withdrawal = store.withdraw("x", id).toCompletableFuture();
            proxy.letGo();
            withdrawal.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(redis.get().commands().exists("leasehold:{x}")).isZero();
        }
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
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(lease.token());
    }
}
