package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.FaultProxy;
import dev.leasehold.testkit.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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
    void renewalsWaitForNoFarClientOnPostgres() throws Exception {
        renewalsWaitForNoFarClient(POSTGRES.get().port(), POSTGRES.get().url());
    }

    @Test
    void renewalsWaitForNoFarClientOnMariaDb() throws Exception {
        renewalsWaitForNoFarClient(MARIADB.get().port(), MARIADB.get().url());
    }

    private record Pair(DistributedLock near, DistributedLock far) {}

    private void renewalsWaitForNoFarClient(int port, String url) throws Exception {
        try (FaultProxy slow = FaultProxy.to(port);
                Leasehold near = Leasehold.connect(url);
                Leasehold far = Leasehold.connect(url.replace(":" + port, ":" + slow.port()))) {
            Map<String, Pair> pairs = Map.of(
                    "mutex", new Pair(near.lock("1" + name, BRIEF), far.lock("1" + name, BRIEF)),
                    "two readers", new Pair(reader(near, "2"), reader(far, "2")),
                    "a reader and a writer", new Pair(reader(near, "3"), writer(far, "3")));
            for (Pair pair : pairs.values()) {
                pair.far().acquire().close();
            }
            List<Lease> held = new ArrayList<>();
            Queue<String> seen = new ConcurrentLinkedQueue<>();
            for (Map.Entry<String, Pair> each : pairs.entrySet()) {
                Lease lease = each.getValue().near().acquire();
                lease.onStateChange((changed, state) -> seen.add(each.getKey() + " " + state));
                held.add(lease);
            }
            slow.delay(FAR);
            List<CompletableFuture<Lease>> waiting = pairs.values().stream()
                    .map(pair -> pair.far().acquireAsync())
                    .toList();
            // They join, ask again and withdraw, others come meanwhile: for longer than a lease.
            await().pollInterval(Duration.ofMillis(500))
                    .during(Duration.ofMillis(2500))
                    .atMost(Duration.ofSeconds(6))
                    .untilAsserted(() -> {
                        pairs.values().forEach(pair -> visit(pair.far()));
                        assertThat(seen).isEmpty();
                    });
            slow.delay(Duration.ZERO);
            waiting.forEach(each -> each.cancel(false));
            held.forEach(Lease::close);
        }
    }

    private DistributedLock reader(Leasehold client, String which) {
        return client.readWriteLock(which + name, BRIEF).read();
    }

    private DistributedLock writer(Leasehold client, String which) {
        return client.readWriteLock(which + name, BRIEF).write();
    }

    private static void visit(DistributedLock lock) {
        lock.tryAcquireAsync(Duration.ofMillis(600)).whenComplete((got, failure) -> {
            if (got != null) {
                got.ifPresent(Lease::releaseAsync);
            }
        });
    }
}
