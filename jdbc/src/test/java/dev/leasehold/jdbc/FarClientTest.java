package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.FaultProxy;
import dev.leasehold.testkit.Started;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client whose messages are slow costs nobody else a lease: see {@code WaitingPath}. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FarClientTest {

    /** Each way. What is kept locked for three round trips outlasts a lease. */
    private static final Duration FAR = Duration.ofMillis(350);

    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2));

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void renewalsDoNotWaitForAFarWaiterOnPostgres() throws Exception {
        keepsItsLease(POSTGRES.get().port(), POSTGRES.get().url(), this::mutex, this::mutex);
    }

    @Test
    void renewalsDoNotWaitForAFarWaiterOnMariaDb() throws Exception {
        keepsItsLease(MARIADB.get().port(), MARIADB.get().url(), this::mutex, this::mutex);
    }

    @Test
    void readersRenewBesideFarReadersOnPostgres() throws Exception {
        keepsItsLease(POSTGRES.get().port(), POSTGRES.get().url(), this::reader, this::reader);
    }

    @Test
    void readersRenewBesideFarReadersOnMariaDb() throws Exception {
        keepsItsLease(MARIADB.get().port(), MARIADB.get().url(), this::reader, this::reader);
    }

    @Test
    void readersRenewWhileAFarWriterWaitsOnPostgres() throws Exception {
        keepsItsLease(POSTGRES.get().port(), POSTGRES.get().url(), this::reader, client -> client.readWriteLock(
                        name, BRIEF)
                .write());
    }

    private DistributedLock mutex(Leasehold client) {
        return client.lock(name, BRIEF);
    }

    private DistributedLock reader(Leasehold client) {
        return client.readWriteLock(name, BRIEF).read();
    }

    private void keepsItsLease(
            int port, String url, Function<Leasehold, DistributedLock> here, Function<Leasehold, DistributedLock> there)
            throws Exception {
        try (FaultProxy slow = FaultProxy.to(port);
                Leasehold near = Leasehold.connect(url);
                Leasehold far = Leasehold.connect(url.replace(":" + port, ":" + slow.port()))) {
            here.apply(near).acquire().close();
            there.apply(far).acquire().close();
            slow.delay(FAR);
            try (Lease held = here.apply(near).acquire()) {
                List<LeaseState> states = new CopyOnWriteArrayList<>();
                held.onStateChange((lease, state) -> states.add(state));
                CompletableFuture<Lease> waiting = there.apply(far).acquireAsync();
                // Joins, asks again, withdraws, and others come meanwhile: for two leases.
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(500))
                        .during(Duration.ofSeconds(4))
                        .atMost(Duration.ofSeconds(10))
                        .until(() -> {
                            there.apply(far).tryAcquireAsync(Duration.ofMillis(600)).whenComplete((got, failure) -> {
                                if (got != null) {
                                    got.ifPresent(Lease::releaseAsync);
                                }
                            });
                            assertThat(states).isEmpty();
                            return held.isValid();
                        });
                waiting.cancel(false);
            }
        }
    }
}
