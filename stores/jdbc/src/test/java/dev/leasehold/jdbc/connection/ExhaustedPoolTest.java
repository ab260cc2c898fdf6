package dev.leasehold.jdbc.connection;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.server.OpenJdbcStore;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** These tests are about a pool whose connections the application keeps. */
@Tag("slow")
class ExhaustedPoolTest {

    private static final Logger LOG = Logger.getLogger("dev.leasehold.jdbc");

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            if (logged.getLevel() == java.util.logging.Level.WARNING) {
                warnings.add(logged.getMessage());
            } else if (logged.getLevel() == java.util.logging.Level.INFO) {
                told.add(logged.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private HikariDataSource pool;

    @BeforeEach
    void open() {
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        pool.setPoolName("shop");
        pool.setMaximumPoolSize(2);
        LOG.addHandler(handler);
    }

    @AfterEach
    void close() {
        LOG.removeHandler(handler);
        pool.close();
    }

    private Leasehold client() {
        return Leasehold.builder()
                .store(JdbcStore.using(pool))
                .storeTimeout(Duration.ofSeconds(5))
                .build();
    }

    /** The message is the same if the pool gives up before the client does, or after it. */
    @ParameterizedTest
    @ValueSource(longs = {500, 30_000})
    void isNamedWithItsSizeAndNotTheDatabase(long timeout) throws Exception {
        pool.setConnectionTimeout(timeout);
        try (Leasehold client = client()) {
            client.lock("a").acquire().close();
            try (Connection one = pool.getConnection();
                    Connection two = pool.getConnection()) {
                assertThatThrownBy(() -> client.lock("a").acquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("all 2 connections of the pool shop are in use")
                        .hasMessageNotContaining("Check that the database is running");
                assertThat(one.isClosed() || two.isClosed()).isFalse();
            }
        }
    }

    /** Its caller waits for itself: nobody else can give the connection back. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aLockInsideATransactionOfThePool(int size) throws Exception {
        pool.setMaximumPoolSize(size);
        try (Leasehold client = client()) {
            client.lock("a").acquire().close();
            try (Connection mine = pool.getConnection();
                    Statement statement = mine.createStatement()) {
                statement.execute("CREATE TABLE orders (id INT)");
                mine.setAutoCommit(false);
                statement.execute("INSERT INTO orders VALUES (1)");
                if (size == 1) {
                    assertThatThrownBy(() -> client.lock("a").acquire())
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("all 1 connections of the pool shop are in use");
                } else {
                    client.lock("a").acquire().close();
                }
                mine.commit();
            }
            client.lock("a").acquire().close();
        }
    }

    /** The client's own timer was as early as the store's, and a caller that it failed was told to look for the database. */
    @Test
    void isNamedBeforeTheCallersTimeIsOver() throws Exception {
        VirtualTime time = new VirtualTime();
        StoreContext context = new StoreContext("client", "owner", "", time, Duration.ofSeconds(5), new NoSignals());
        OpenJdbcStore store = (OpenJdbcStore) JdbcStore.using(pool).open(context);
        try (Connection one = pool.getConnection();
                Connection two = pool.getConnection()) {
            Claim claim = new Claim(new ClaimId("client", 1), "a", Duration.ofSeconds(30), 0, true);
            CompletableFuture<ClaimAnswer> answer = store.claim(claim).toCompletableFuture();
            await().until(store::isStarved);
            time.advance(Duration.ofMillis(4_900));
            assertThat(answer)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withMessageContaining("all 2 connections of the pool shop are in use");
            assertThat(one.isClosed() || two.isClosed()).isFalse();
        } finally {
            store.close();
        }
    }

    @Test
    void isWarnedOfOncePerOutageWhenLeasesCannotBeRenewed() throws Exception {
        pool.setConnectionTimeout(300);
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3));
        try (Leasehold client = client();
                Lease one = client.lock("a", brief).acquire();
                Lease two = client.lock("b", brief).acquire()) {
            try (Connection first = pool.getConnection();
                    Connection second = pool.getConnection()) {
                await().until(() -> !one.isValid() && !two.isValid());
                // A renewal that still waits for a connection succeeds as soon as there is one.
                assertThat(told).noneMatch(text -> text.contains("renewed again"));
                assertThat(first.isClosed() || second.isClosed()).isFalse();
            }
            assertThat(warnings)
                    .filteredOn(text -> text.contains("renewed"))
                    .singleElement()
                    .asString()
                    .contains("all 2 connections of the pool shop are in use");
            client.lock("c", brief).acquire().extend(brief.leaseDuration());
            await().untilAsserted(() -> assertThat(told).containsOnlyOnce("leases are renewed again"));
        }
    }

    @Test
    void isWarnedOfWhereACallersThreadHasATransactionOfIt() throws Exception {
        try (Leasehold client = client()) {
            client.lock("a").acquire().close();
            assertThat(warnings).isEmpty();
            TransactionSynchronizationManager.bindResource(pool, new Object());
            client.lock("a").acquire().close();
            client.lock("a").acquire().close();
            assertThat(warnings).singleElement().asString().contains("transaction");
        } finally {
            TransactionSynchronizationManager.unbindResource(pool);
        }
    }

    @Test
    void ofAnotherKindIsKnownByWhatHikariSays() {
        assertThat(NoConnection.reason(new java.sql.SQLTransientConnectionException(
                        "shop - Connection is not available, request timed out after 500ms (total=4, active=4, idle=0,"
                                + " waiting=1)")))
                .isEqualTo("all 4 connections of the pool shop are in use");
        assertThat(NoConnection.reason(new java.sql.SQLTransientConnectionException(
                        "shop - Connection is not available, request timed out after 500ms (total=0, active=0, idle=0,"
                                + " waiting=1)")))
                .isNull();
    }
}
