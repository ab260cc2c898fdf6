package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One name leads to the master. Connections that stand stay where they are, at what has become a replica. */
@Tag("slow")
class DemotedMasterTest {

    private final List<Leasehold> clients = new ArrayList<>();
    private RedisGroup group;
    private RedisProcess old;
    private RedisProcess next;
    private volatile int port;
    private ClientResources resources;
    private RedisClient lettuce;

    @BeforeEach
    void start() {
        group = RedisGroup.replicated();
        old = group.servers.get(0);
        next = group.servers.get(1);
        port = old.port();
        resources = ClientResources.builder()
                .socketAddressResolver(new SocketAddressResolver() {
                    @Override
                    public SocketAddress resolve(RedisURI uri) {
                        return new InetSocketAddress("localhost", port);
                    }
                })
                .build();
        lettuce = RedisClient.create(resources, "redis://the-name");
    }

    @AfterEach
    void stop() {
        clients.forEach(Leasehold::close);
        lettuce.shutdown();
        resources.shutdown();
        group.close();
    }

    private Leasehold client(Duration lease, Duration storeTimeout) {
        Leasehold client = Leasehold.builder()
                .store(RedisStore.using(lettuce))
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .storeTimeout(storeTimeout)
                .build();
        clients.add(client);
        return client;
    }

    private Leasehold patient(Duration lease) {
        return client(lease, Duration.ofSeconds(A_MINUTE));
    }

    private void demote() {
        next.commands().replicaofNoOne();
        old.commands().replicaof("127.0.0.1", next.port());
    }

    private CompletableFuture<Lease> waiter() {
        CompletableFuture<Lease> waiting =
                patient(Duration.ofMinutes(5)).lock("x").acquireAsync();
        await().until(() -> next.commands().llen("leasehold:{x}:queue") == 1);
        return waiting;
    }

    @Test
    void whoIsConnectedToItGoesOnAtTheNextMaster() throws Exception {
        Lease held = patient(Duration.ofMinutes(5)).lock("x").acquire();
        CompletableFuture<Lease> waiting = waiter();
        port = next.port();
        demote();
        held.extend(Duration.ofMinutes(6));
        assertThat(waiting).isNotDone();
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);

        Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(second.token()).isGreaterThan(held.token());
        second.extend(Duration.ofMinutes(6));
        assertThat(second.release()).isEqualTo(LeaseState.RELEASED);
    }

    /** What stands behind the name sends one connection here and the next one there. */
    @Test
    void anInboxThatOpensAtAnotherServerIsOpenedAnew() throws Exception {
        Lease held = patient(Duration.ofMinutes(5)).lock("x").acquire();
        Leasehold client = patient(Duration.ofMinutes(5));
        client.lock("y").acquire().close();
        port = next.port();
        CompletableFuture<Lease> waiting = client.lock("x").acquireAsync();
        await().until(() -> inboxes(next) == 1);
        assertThat(inboxes(old)).isZero();
        port = old.port();
        await().until(() -> {
            client.lock("y").acquire().close(); // What is granted has called nobody.
            return inboxes(old) == 1;
        });
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
    }

    private static int inboxes(RedisProcess server) {
        return server.commands().pubsubChannels("leasehold:inbox:*").size();
    }

    /** The name is changed late: until then nobody takes what is written. */
    @Test
    void whileTheNameLeadsToItNobodyWritesAndHoldersHear() throws Exception {
        Duration brief = Duration.ofSeconds(10);
        Lease held = patient(brief).lock("x").acquire();
        CompletableFuture<Lease> waiting = waiter();
        CompletableFuture<Boolean> two = waiting.thenApply(lease -> held.isValid());
        Leasehold impatient = client(brief, Duration.ofSeconds(5));
        impatient.lock("y").acquire().close();
        demote();
        RedlockFixture.awaitLossWithin(held, brief);
        // A question may just be under way when the time is over; then its outcome is unknown.
        await().untilAsserted(() -> assertThatThrownBy(() -> impatient.lock("y").tryAcquire())
                .hasMessageContaining("READONLY")
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT)));
        assertThat(waiting).isNotDone();
        assertThat(next.commands().exists("leasehold:{y}")).isZero();

        port = next.port();
        Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(two.get(A_MINUTE, TimeUnit.SECONDS)).isFalse();
        assertThat(second.token()).isGreaterThan(held.token());
        assertThat(second.release()).isEqualTo(LeaseState.RELEASED);
    }
}
