package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client whose database has fallen silent closes soon: its threads and connections end in the background. */
@Tag("slow")
class ClosingInSilenceTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void postgresIsNotWaitedFor() throws Exception {
        closesSoon(POSTGRES.get().url(), POSTGRES.get().port());
    }

    @Test
    void mariaDbIsNotWaitedFor() throws Exception {
        closesSoon(MARIADB.get().url(), MARIADB.get().port());
    }

    private void closesSoon(String url, int port) throws Exception {
        try (FaultProxy proxy = FaultProxy.to(port)) {
            Leasehold leasehold = Leasehold.connect(
                    url.replace(":" + port + "/", ":" + proxy.port() + "/") + "&leasehold.storeTimeout=600000");
            Lease over = leasehold
                    .lock(name, LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2)))
                    .acquire();
            Lease givenBack = leasehold.lock(name + 2).acquire();
            Lease held = leasehold.lock(name + 3).acquire();
            proxy.blackHole();
            givenBack.releaseAsync();
            CompletableFuture<Lease> waits = leasehold.lock(name + 4).acquireAsync();
            await().until(() -> over.state() == LeaseState.LOST);
            CompletableFuture.runAsync(leasehold::close).get(A_MINUTE, SECONDS);
            assertThat(held.state()).isEqualTo(LeaseState.LOST);
            assertThat(waits).failsWithin(Duration.ofSeconds(A_MINUTE));
        }
    }
}
