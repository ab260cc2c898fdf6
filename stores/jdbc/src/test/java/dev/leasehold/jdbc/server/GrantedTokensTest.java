package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A grant by a single statement has a token above the last and reserves its run, also where the database's clock is behind:
 * where that goes on, its microseconds alone would be enough.
 */
@Tag("slow")
class GrantedTokensTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int SPARE = 40;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private long claims;

    private long cycle(Store store) {
        Claim claim = new Claim(new ClaimId("client", ++claims), "x", LEASE, SPARE, false);
        Granted granted = (Granted) TestClient.get(store.claim(claim));
        assertThat(granted.spare()).isEqualTo(SPARE);
        TestClient.get(store.release(granted.lease(), Duration.ZERO));
        return granted.lease().token();
    }

    private long last() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT last FROM \"leasehold_lock\" WHERE name = 'x'")) {
            row.next();
            return row.getLong(1);
        }
    }

    private void last(long token) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE \"leasehold_lock\" SET last = " + token))
                    .isOne();
        }
    }

    @Test
    void theyFollowTheLastAndReserveTheirRun() throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        try (RealTime time = new RealTime();
                Store store = JdbcStore.using(database)
                        .open(new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals()))) {
            long first = cycle(store);
            assertThat(last()).as("of a new row").isEqualTo(first + SPARE);
            long future = first + TimeUnit.HOURS.toMicros(1);
            last(future);
            assertThat(cycle(store)).isEqualTo(future + 1);
            assertThat(last()).isEqualTo(future + 1 + SPARE);
            last(1);
            assertThat(cycle(store)).as("by the clock").isGreaterThan(first);
        }
    }
}
