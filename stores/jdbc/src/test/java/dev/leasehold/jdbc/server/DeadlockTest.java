package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.jdbc.EventfulConnection;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** This test shows what becomes of a release that a database gives up because of a deadlock with somebody else. */
@Tag("slow")
class DeadlockTest {

    private static final Duration LEASE = Duration.ofMinutes(10);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @AutoClose
    private final RealTime time = new RealTime();

    private final String name = "lock-" + UUID.randomUUID();
    private final Map<String, EventfulConnection.Event> before = new ConcurrentHashMap<>();

    /** A pool whose connections let something happen before a statement. */
    private final class EventfulPool extends HikariDataSource {

        EventfulPool(String url) {
            setJdbcUrl(url);
            setMaximumPoolSize(3);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return EventfulConnection.of(super.getConnection(), before);
        }
    }

    /** A stranger's transaction is one that the database does not choose as the victim. */
    private final class Stranger implements AutoCloseable {

        private final Product database;
        private final Connection connection;
        private final Sql sql;
        private final long session;

        Stranger(Product database, String url) throws SQLException {
            this.database = database;
            connection = DriverManager.getConnection(url);
            sql = new Sql(connection);
            session = sql.number(database == Product.POSTGRESQL ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()");
            if (database == Product.POSTGRESQL) {
                sql.run("SET deadlock_timeout = '1h'"); // It leaves it to the other to find out.
            } else {
                sql.run("CREATE OR REPLACE TABLE heavy (n INT)");
            }
            connection.setAutoCommit(false);
            for (int i = 0; i < 100 && database != Product.POSTGRESQL; i++) {
                sql.run("INSERT INTO heavy VALUES (" + i + ")"); // Who has changed less is the victim.
            }
        }

        void lock(String table) throws SQLException {
            sql.all("SELECT 1 FROM " + table + " WHERE name = '" + name + "' FOR UPDATE", row -> row.getInt(1));
        }

        boolean waits(Sql observer) throws SQLException {
            return observer.number(
                            database == Product.POSTGRESQL
                                    ? "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND pid = " + session
                                    : "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                                            + " AND trx_mysql_thread_id = " + session)
                    > 0;
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }

    /** The release has locked the row of its lock when it comes to that of the waiter. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void aReleaseThatIsTheVictimIsRepeated(Product database) throws Exception {
        boolean onPostgres = database == Product.POSTGRESQL;
        String url = onPostgres ? POSTGRES.get().url() : MARIADB.get().url();
        Tables tables = new Tables(database.rules(), onPostgres ? "public" : "test", Tables.PREFIX);
        StoreContext context = new StoreContext("me", "me", "", time, Duration.ofSeconds(30), new NoSignals());
        try (EventfulPool pool = new EventfulPool(url);
                Store store = JdbcStore.using(pool).withListen(false).open(context)) {
            LeaseId held = ((ClaimAnswer.Granted) TestClient.get(store.claim(claim(1, false)))).lease();
            assertThat(TestClient.get(store.claim(claim(2, true)))).isInstanceOf(ClaimAnswer.Busy.class);
            CompletableFuture<ReleaseAnswer> released;
            try (Stranger stranger = new Stranger(database, url);
                    Connection beside = DriverManager.getConnection(url)) {
                CompletableFuture<Void> crossing = new CompletableFuture<>();
                Sql observer = new Sql(beside);
                stranger.lock("leasehold_waiter");
                before.put(new ServerSql(tables).removeExpired, () -> {
                    new Thread(() -> completeWith(crossing, () -> stranger.lock("leasehold_lock"))).start();
                    await().until(() -> stranger.waits(observer));
                });
                released = store.release(held, Duration.ZERO).toCompletableFuture();
                TestClient.get(crossing);
                assertThat(released.isDone() && !released.isCompletedExceptionally())
                        .as("released while another has the rows")
                        .isFalse();
            }
            assertThat(TestClient.get(released)).isEqualTo(ReleaseAnswer.RELEASED);
            assertThat(TestClient.get(store.claim(claim(2, true)))).isInstanceOf(ClaimAnswer.Granted.class);
        }
    }

    private Claim claim(long counter, boolean enqueue) {
        return new Claim(new ClaimId("me", counter), name, LEASE, 0, enqueue);
    }

    private static void completeWith(CompletableFuture<Void> done, EventfulConnection.Event event) {
        try {
            event.happens();
            done.complete(null);
        } catch (SQLException | RuntimeException e) {
            done.completeExceptionally(e);
        }
    }
}
