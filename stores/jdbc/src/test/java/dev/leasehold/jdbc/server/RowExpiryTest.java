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

/** These tests show which rows go after two days. */
@Tag("slow")
class RowExpiryTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long OLD = TimeUnit.DAYS.toMicros(3);
    private static final long DAY_AND_A_HALF = TimeUnit.HOURS.toMicros(36);

    /** Each new name has a look at old rows made with a chance of one in eight: this many are enough. */
    private static final int MANY = 400;

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private long claims;

    private Store open(RealTime time) {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        return JdbcStore.using(database)
                .open(new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals()));
    }

    private void ask(Store store, String lock, int share) {
        Claim claim = new Claim(new ClaimId("client", ++claims), lock, share, LEASE, false);
        assertThat(TestClient.get(store.claim(claim))).isInstanceOf(ClaimAnswer.Granted.class);
    }

    private void change(String text) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(text)).isPositive();
        }
    }

    private long rows(String table) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet count =
                        statement.executeQuery("SELECT COUNT(*) FROM \"" + table + "\" WHERE name = 'shared'")) {
            count.next();
            return count.getLong(1);
        }
    }

    /** Their renewals leave no trace in the lock's row, so a transaction has to look whether they are over. */
    @Test
    void aLockThatSeveralHaveSharedIsTidiedBeforeItGoes() throws Exception {
        try (RealTime time = new RealTime();
                Store store = open(time)) {
            ask(store, "shared", 2);
            ask(store, "shared", 2);
            change("UPDATE \"leasehold_lock\" SET last = last - " + OLD + ", token = token - " + OLD
                    + ", ends = ends - " + OLD);
            change("UPDATE \"leasehold_holder\" SET token = token - " + OLD);
            for (int i = 0; i < MANY; i++) {
                ask(store, "alive-" + i, Claim.EXCLUSIVE);
            }
            assertThat(rows("leasehold_lock")).as("who renews keeps the row").isOne();
            assertThat(rows("leasehold_holder")).isEqualTo(2);
            change("UPDATE \"leasehold_holder\" SET ends = ends - " + OLD);
            look(store, "later-");
            assertThat(rows("leasehold_lock")).isZero();
            assertThat(rows("leasehold_holder")).isZero();
        }
    }

    /** Until it is gone, or has been looked at often enough. */
    private void look(Store store, String names) throws SQLException {
        for (int i = 0; i < MANY && rows("leasehold_lock") > 0; i++) {
            ask(store, names + i, Claim.EXCLUSIVE);
        }
    }

    @Test
    void neitherWhatIsHeldGoesNorWhatIsYoungerThanTwoDays() throws Exception {
        try (RealTime time = new RealTime();
                Store store = open(time)) {
            ask(store, "shared", Claim.EXCLUSIVE);
            change("UPDATE \"leasehold_lock\" SET last = last - " + OLD);
            look(store, "beside-");
            assertThat(rows("leasehold_lock")).as("it is held").isOne();
            change("UPDATE \"leasehold_lock\" SET last = last + " + DAY_AND_A_HALF
                    + ", ends = 0 WHERE name = 'shared'");
            look(store, "later-");
            assertThat(rows("leasehold_lock"))
                    .as("it was used a day and a half ago")
                    .isOne();
            change("UPDATE \"leasehold_lock\" SET last = last - " + DAY_AND_A_HALF + " WHERE name = 'shared'");
            look(store, "last-");
            assertThat(rows("leasehold_lock")).isZero();
        }
    }

    /** As jobs of one name each make them, which is greater each time. */
    @Test
    void rowsGoThoughEachProcessAddsOneAndEnds() throws Exception {
        try (RealTime time = new RealTime();
                Store store = open(time)) {
            ask(store, "shared", Claim.EXCLUSIVE);
            change("UPDATE \"leasehold_lock\" SET last = last - " + OLD + ", ends = 0");
            for (int i = 0; i < MANY && rows("leasehold_lock") > 0; i++) {
                try (Store process = open(time)) {
                    ask(process, "z-" + (1_000 + i), Claim.EXCLUSIVE);
                    TestClient.get(process.inspect(NamePattern.of("nothing"))); // Its look has time.
                }
            }
            assertThat(rows("leasehold_lock")).isZero();
        }
    }
}
