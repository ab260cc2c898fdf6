package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The master behind Sentinel stops, keeps its connections, and goes on when another one has taken its place. */
@Tag("slow")
class HungMasterTest {

    private final List<Leasehold> clients = new ArrayList<>();
    private RedisGroup group;
    private RedisProcess old;
    private RedisProcess next;
    private RedisProcess sentinel;

    @BeforeEach
    void start() {
        group = RedisGroup.sentinel();
        old = group.servers.get(0);
        next = group.servers.get(1);
        sentinel = group.servers.get(2);
    }

    @AfterEach
    void stop() {
        old.signal("CONT");
        sentinel.signal("CONT");
        clients.forEach(Leasehold::close);
        group.close();
    }

    private Leasehold client(Duration lease) {
        Leasehold client = Leasehold.builder()
                .uri("redis-sentinel://localhost:" + sentinel.port() + "#main")
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .storeTimeout(Duration.ofSeconds(A_MINUTE))
                .build();
        clients.add(client);
        return client;
    }

    /** A waiter that the replica knows. */
    private CompletableFuture<Lease> waiter() {
        CompletableFuture<Lease> waiting =
                client(Duration.ofMinutes(5)).lock("x").acquireAsync();
        await().until(() -> next.commands().llen("leasehold:{x}:queue") == 1);
        return waiting;
    }

    private void awaitFailOver() {
        await().until(() -> group.sentinelMaster() == next.port());
    }

    /** What its clients had sent to it before it stopped, and to whoever was the master then, it does now. */
    private void letTheOldOneGoOn() {
        old.signal("CONT");
        await().ignoreExceptionsInstanceOf(RedisException.class) // Sentinel ends the connections of whom it demotes.
                .until(() -> old.commands().info("replication").contains("role:slave"));
        await().until(() -> next.commands().info("replication").contains("state=online"));
    }

    private void isHeldAndGivenBack(Lease lease) throws Exception {
        lease.extend(Duration.ofMinutes(6));
        assertThat(client(Duration.ofMinutes(5)).lock("x").tryAcquire()).isEmpty();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aLongLeaseGoesOnAtTheNextMaster() throws Exception {
        Lease held = client(Duration.ofMinutes(5)).lock("x").acquire();
        CompletableFuture<Lease> waiting = waiter();
        CompletableFuture<Boolean> two = waiting.thenApply(lease -> held.isValid());
        old.signal("STOP");
        awaitFailOver();
        held.extend(Duration.ofMinutes(6));
        letTheOldOneGoOn();
        assertThat(waiting).isNotDone();
        isHeldAndGivenBack(held);

        Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(two.get(A_MINUTE, TimeUnit.SECONDS)).isFalse();
        assertThat(second.token()).isGreaterThan(held.token());
        isHeldAndGivenBack(second);
    }

    /** Sentinel waits until the lease is over, as where a fail-over takes longer. */
    @Test
    void aShortLeaseIsLostInTimeAndTheWaiterIsNext() throws Exception {
        Duration brief = Duration.ofSeconds(10);
        Lease held = client(brief).lock("x").acquire();
        CompletableFuture<Lease> waiting = waiter();
        CompletableFuture<Boolean> two = waiting.thenApply(lease -> held.isValid());
        sentinel.signal("STOP");
        old.signal("STOP");
        RedlockFixture.awaitLossWithin(held, brief);
        sentinel.signal("CONT");

        Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(two.get(A_MINUTE, TimeUnit.SECONDS)).isFalse();
        assertThat(second.token()).isGreaterThan(held.token());
        awaitFailOver();
        letTheOldOneGoOn();
        isHeldAndGivenBack(second);
    }
}
