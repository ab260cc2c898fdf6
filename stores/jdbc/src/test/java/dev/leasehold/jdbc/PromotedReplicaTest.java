package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.PostgresReplica;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A primary is cut off from its synchronous replica, which is promoted. Its clients still reach it, and their waits for the
 * replica are cancelled: two had the lock for up to 25 s.
 */
@Tag("extended")
class PromotedReplicaTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(20));

    @Test
    void whoIsLeftAtTheOldPrimaryHasNoLockBesideTheNext() throws Exception {
        try (PostgresServer primary = PostgresServer.start();
                FaultProxy stream = FaultProxy.to(primary.port());
                PostgresReplica replica = PostgresReplica.of(primary, stream.port());
                Leasehold left = client(primary.url());
                Leasehold next = client(replica.url())) {
            makeSynchronous(primary.url());
            Lease held = left.lock("a").acquire();
            held.extend(OPTIONS.leaseDuration());
            stream.blackHole();
            replica.promote();
            try (Lease lease = next.lock("a").acquire()) {
                assertThat(held.isValid()).isFalse();
                assertThat(lease.isValid()).isTrue();
                assertThat(lease.token()).isGreaterThan(held.token());
            }
        }
    }

    private static Leasehold client(String url) {
        return Leasehold.builder()
                .store(JdbcStore.using(new DataSourceOf(url)))
                .options(OPTIONS)
                .build();
    }

    private static void makeSynchronous(String url) throws Exception {
        try (Connection admin = DriverManager.getConnection(url);
                Statement statement = admin.createStatement()) {
            statement.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
            statement.execute("SELECT pg_reload_conf()");
            await().until(() ->
                    Question.number(url, "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1);
        }
    }
}
