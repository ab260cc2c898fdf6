package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
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

/** A new name for each job: rows that are due go at least as fast as new ones come. */
@Tag("extended")
class RowExpiryRateTest {

    private static final int ROUNDS = 20;
    private static final int NAMES = 500;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private long claims;

    /** A round stands for two days: what it finds is due. Nothing here is counted in time. */
    @Test
    void rowsGoAsFastAsTheyCome() throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        StoreContext context;
        try (RealTime time = new RealTime()) {
            context = new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals());
            // One worker: when it has answered a question, it has made the look that was started before.
            try (Store store = JdbcStore.using(database).withConnections(1).open(context)) {
                for (int round = 1; round <= ROUNDS; round++) {
                    for (int i = 0; i < NAMES; i++) {
                        use(store, UUID.randomUUID().toString());
                    }
                    long rows = rows();
                    assertThat(rows).as("rows after round %s", round).isLessThan(2 * NAMES);
                    age();
                }
            }
        }
    }

    private void use(Store store, String lock) {
        Claim claim = new Claim(new ClaimId("client", ++claims), lock, 1, Duration.ofSeconds(30), false);
        ClaimAnswer answer = TestClient.get(store.claim(claim));
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        TestClient.get(store.inspect(NamePattern.of("nothing")));
    }

    private void age() throws SQLException {
        long days = TimeUnit.DAYS.toMicros(3);
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE \"leasehold_lock\" SET last = last - " + days + ", token = token - " + days
                    + ", ends = 0 WHERE ends > 0");
        }
    }

    private long rows() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM \"leasehold_lock\"")) {
            count.next();
            return count.getLong(1);
        }
    }
}
