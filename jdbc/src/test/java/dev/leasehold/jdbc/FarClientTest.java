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
import java.util.concurrent.ConcurrentLinkedQueue;
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
        keepsItsLease(POSTGRES.get().port(), POSTGRES.get().url(), client -> client.lock(name, BRIEF));
    }

    @Test
    void renewalsDoNotWaitForAFarWaiterOnMariaDb() throws Exception {
        keepsItsLease(MARIADB.get().port(), MARIADB.get().url(), client -> client.lock(name, BRIEF));
    }

    private void keepsItsLease(int port, String url, Function<Leasehold, DistributedLock> lock)
            throws Exception {
        try (FaultProxy slow = FaultProxy.to(port);
                Leasehold near = Leasehold.connect(url);
                Leasehold far = Leasehold.connect(url.replace(":" + port, ":" + slow.port()))) {
            lock.apply(near).acquire().close();
            lock.apply(far).acquire().close();
            slow.delay(FAR);
            try (Lease held = lock.apply(near).acquire()) {
                List<LeaseState> states = new CopyOnWriteArrayList<>();
                held.onStateChange((before, after) -> states.add(after));
                ConcurrentLinkedQueue<CompletableFuture<Lease>> asked = new ConcurrentLinkedQueue<>();
                CompletableFuture<Lease> waiting = lock.apply(far).acquireAsync();
                // Joins, asks again, withdraws, and others join meanwhile: for three leases.
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(700))
                        .during(Duration.ofSeconds(6))
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> {
                            asked.add(lock.apply(far)
                                    .tryAcquireAsync(Duration.ofMillis(600))
                                    .thenApply(got -> got.orElse(null)));
                            assertThat(states).isEmpty();
                            return held.isValid();
                        });
                assertThat(asked).allSatisfy(each -> assertThat(each.getNow(null)).isNull());
                waiting.cancel(false);
            }
        }
    }
}
