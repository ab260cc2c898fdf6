package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.jdbc.EventfulConnection;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch of renewals meets rows that are not as it has read them. */
@Tag("slow")
class RenewalBatchTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LONGER = Duration.ofMinutes(10);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final ServerSql texts = new ServerSql(new Tables(Product.H2.rules(), null, Tables.PREFIX));
    private final Map<String, EventfulConnection.Event> before = new HashMap<>();
    private long claims;

    private Renewals.Renewal renewal(Store store, String lock) {
        Claim claim = new Claim(new ClaimId("client", ++claims), lock, LEASE, 0, false);
        LeaseId lease = ((ClaimAnswer.Granted) TestClient.get(store.claim(claim))).lease();
        StoreOperation<RenewAnswer> operation =
                new StoreOperation<>((protocol, now) -> protocol.renew(lease, LONGER, now), answer -> {}, true);
        return new Renewals.Renewal(lease, LONGER, operation);
    }

    private static void change(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate(text)).isPositive();
        }
    }

    /** The batch is like one whose transaction a driver has carried out again, after others have had a lock. */
    @Test
    void aBatchThatExtendsFewerLeasesThanItMeansFails() throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        try (RealTime time = new RealTime();
                Store store = JdbcStore.using(database)
                        .open(new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals()));
                Connection own = DriverManager.getConnection(url);
                Sql sql = new Sql(EventfulConnection.of(own, before))) {
            List<Renewals.Renewal> both = List.of(renewal(store, "a"), renewal(store, "b"));
            own.setAutoCommit(false);
            assertThat(new RenewalBatch(both, sql, texts, "").extend()).containsOnlyKeys(both);
            own.rollback();
            before.put(
                    texts.extendRows(2),
                    () -> change(own, "UPDATE \"leasehold_lock\" SET token = token + 1 WHERE name = 'b'"));
            try (Sql again = new Sql(EventfulConnection.of(own, before))) {
                assertThatThrownBy(() -> new RenewalBatch(both, again, texts, "").extend())
                        .isInstanceOf(RowReplaced.class);
            }
            own.rollback();
        }
    }
}
