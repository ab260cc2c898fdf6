package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A holder that had never waited for a lock had no ear for the message that its lease was broken. The two clients name the
 * database differently, so that they do not know that they are neighbours, as in two processes.
 */
@Tag("slow")
class PostgresBreakIsHeardTest {

    /** Renewals of such a lease are more than three minutes apart. */
    private static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Test
    void aHolderThatHasRenewedHearsOfABreakAtOnce() throws Exception {
        expectHeard(false);
    }

    @Test
    void aHolderOfASessionLockHearsOfItToo() throws Exception {
        expectHeard(true);
    }

    /** For up to half a minute the ear kept the only connection that the server had left, and leases and places were lost. */
    @Test
    void whoListensGivesUpTheLastConnection() throws Exception {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE ROLE few LOGIN");
            statement.execute("GRANT CREATE ON SCHEMA public TO few");
            try (Leasehold holder = Leasehold.builder()
                            .store(new JdbcStoreProvider()
                                    .create(StoreUri.parse(
                                            PostgresServer.url(POSTGRES.get().port())
                                                            .replace("=postgres", "=few")
                                                    + "&ApplicationName=holder&leasehold.tables=few_")))
                            // Bound: it listened for 30 s; to give up takes one.
                            .storeTimeout(Duration.ofSeconds(20))
                            .build();
                    Lease lease = holder.lock("a", LONG).acquire()) {
                lease.extend(LONG.leaseDuration());
                await().until(() -> listening(admin) == 1);
                statement.execute("ALTER ROLE few CONNECTION LIMIT 1");
                statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE usename = 'few' AND query NOT LIKE 'LISTEN %'");
                lease.extend(LONG.leaseDuration());
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            }
        }
    }

    private static void expectHeard(boolean sessionLocks) throws Exception {
        String tables = sessionLocks ? "session_" : "rows_";
        try (Leasehold holder = client("holder", tables, sessionLocks);
                Leasehold operator = client("operator", tables, sessionLocks);
                Connection admin = DriverManager.getConnection(POSTGRES.get().url())) {
            Lease lease = holder.lock("a", LONG).acquire();
            assertThat(listening(admin))
                    .as("who may give it back soon listens not")
                    .isZero();
            lease.extend(LONG.leaseDuration());
            await().until(() -> listening(admin) == 1);
            assertThat(operator.breakLock("a", lease.token())).isTrue();
            assertThat(lease.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
        }
    }

    private static Leasehold client(String application, String tables, boolean sessionLocks) {
        return Leasehold.connect(POSTGRES.get().url() + "&ApplicationName=" + application + "&leasehold.tables="
                + tables + "&leasehold.sessionLocks=" + sessionLocks);
    }

    /** What a session has run last is its listening, and has ended. */
    private static int listening(Connection admin) throws SQLException {
        try (Statement statement = admin.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM pg_stat_activity"
                        + " WHERE application_name = 'holder' AND state = 'idle' AND query LIKE 'LISTEN %'")) {
            count.next();
            return count.getInt(1);
        }
    }
}
