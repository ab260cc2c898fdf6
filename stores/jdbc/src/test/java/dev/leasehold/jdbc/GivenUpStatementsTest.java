package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about statements that wait in PostgreSQL for a row that somebody else keeps locked. */
@Tag("slow")
class GivenUpStatementsTest {

    private static final int TRIES = 3;

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    private static Connection connection() throws SQLException {
        return DriverManager.getConnection(POSTGRES.get().url());
    }

    private static int waiting() throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM pg_stat_activity WHERE"
                        + " wait_event_type = 'Lock' AND query LIKE '%leasehold_lock%'")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** A client that gives up after a second may not get it on a busy machine. */
    private static Lease acquired(DistributedLock lock) {
        return await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(lock::tryAcquire, Optional::isPresent)
                .orElseThrow();
    }

    private void assertNoneWaitsOnForARowThatStaysLocked(Leasehold client) throws Exception {
        acquired(client.lock(name)).close();
        try (Connection other = connection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT 1 FROM leasehold_lock WHERE name = '" + name + "' FOR UPDATE");
            for (int i = 0; i < TRIES; i++) {
                assertThatThrownBy(() -> client.lock(name).acquireAsync().join())
                        .hasCauseInstanceOf(StoreUnavailableException.class);
            }
            await().untilAsserted(() -> assertThat(waiting())
                    .as("statements that wait")
                    .isLessThanOrEqualTo(1)); // What is left to be withdrawn is asked for again and again.
            other.rollback();
        }
        try (Lease lease = acquired(client.lock(name))) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    @DisplayName("They end when their callers' time is over, on connections of our own")
    void theyEndInTimeOnConnectionsOfOurOwn() throws Exception {
        try (Leasehold client = Leasehold.connect(POSTGRES.get().url() + "&leasehold.storeTimeout=1000")) {
            assertNoneWaitsOnForARowThatStaysLocked(client);
        }
    }

    @Test
    @DisplayName("They end when their callers' time is over, on connections that are given")
    void theyEndInTimeOnConnectionsThatAreGiven() throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(POSTGRES.get().url());
            try (Leasehold client = Leasehold.builder()
                    .store(JdbcStore.using(pool))
                    .storeTimeout(Duration.ofSeconds(1))
                    .build()) {
                assertNoneWaitsOnForARowThatStaysLocked(client);
            }
        }
    }
}
