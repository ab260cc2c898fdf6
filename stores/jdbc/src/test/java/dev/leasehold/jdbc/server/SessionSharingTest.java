package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.SessionServer;
import dev.leasehold.jdbc.TransactionPooler;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * These tests are about locks that belong to a session beside all that is none of it: other users of a key, tables, poolers,
 * pools.
 */
@Tag("slow")
class SessionSharingTest extends SessionFixture {

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    @DisplayName("a key that another user of it has makes the lock busy until it is given back")
    void aKeyOfAnotherUserMakesTheLockBusy(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Connection stranger = server.connect()) {
            one.lock(name).acquire().close();
            Sql sql = new Sql(stranger);
            assertThat(server.rules().take(sql, server.key(name)).yes()).isTrue();
            assertThat(one.lock(name).tryAcquire()).isEmpty();
            CompletableFuture<Lease> waiting = one.lock(name, THREE_SECONDS).acquireAsync();
            waitUntil(() -> one.locks(name).get(0).waiters().size() == 1);
            server.rules().give(sql, server.key(name));
            get(waiting).close();
            assertThat(server.isTaken(name)).isFalse();
        }
    }

    /** The rows say whose turn it is; they do not decide who has a lock. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void deletedRowsTakeNoLockAway(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server);
                Connection admin = server.connect();
                Statement statement = admin.createStatement()) {
            Lease held = one.lock(name, THREE_SECONDS).acquire();
            statement.execute("DELETE FROM leasehold_lock");
            assertThat(two.lock(name).tryAcquire()).isEmpty();
            held.extend(Duration.ofSeconds(3));
            assertThat(held.isValid()).isTrue();
            held.close();
            two.lock(name).acquire().close();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    @DisplayName("clients with and without session locks exclude each other, and tokens increase")
    void clientsWithAndWithoutSessionLocksExcludeEachOther(SessionServer server) throws Exception {
        try (Leasehold session = connect(server);
                Leasehold table = Leasehold.connect(server.url())) {
            long last = 0;
            for (int i = 0; i < 6; i++) {
                Leasehold holder = i % 2 == 0 ? session : table;
                Leasehold waiter = i % 2 == 0 ? table : session;
                try (Lease lease = holder.lock(name).acquire()) {
                    assertThat(lease.token()).isGreaterThan(last);
                    last = lease.token();
                    assertThat(waiter.lock(name).tryAcquire()).isEmpty();
                }
            }
            CompletableFuture<Lease> waiting;
            Lease held = session.lock(name).acquire();
            assertThatThrownBy(() -> table.breakLock(name, held.token()))
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("Break it with leasehold.sessionLocks=true");
            waiting = table.lock(name).acquireAsync();
            waitUntil(() -> table.locks(name).get(0).waiters().size() == 1);
            held.close();
            try (Lease next = get(waiting)) {
                assertThat(next.token()).isGreaterThan(held.token());
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void breakingALeaseOfAnotherClientEndsItsSession(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            Lease broken = one.lock(name, THREE_SECONDS).acquire();
            Lease along = one.lock(name + " along", THREE_SECONDS).acquire();
            assertThat(two.breakLock(name, broken.token() - 1)).isFalse();
            assertThat(two.breakLock(name, broken.token())).isTrue();
            assertThat(two.breakLock(name, broken.token())).isFalse();
            waitUntil(() -> broken.state() == LeaseState.LOST && along.state() == LeaseState.LOST);
            Lease own = two.lock(name).acquire();
            Lease stays = two.lock(name + " along").acquire();
            assertThat(two.breakLock(name, own.token())).isTrue();
            waitUntil(() -> own.state() == LeaseState.LOST);
            assertThat(stays.isValid()).isTrue();
            stays.close();
        }
    }

    @Test
    void breakingWithoutTheRightSaysSoAndChangesNothing() throws Exception {
        try (Connection admin = POSTGRES.get().connect();
                Statement statement = admin.createStatement();
                Leasehold one = connect(POSTGRES.get())) {
            Lease held = one.lock(name, THREE_SECONDS).acquire();
            statement.execute("CREATE ROLE operator LOGIN");
            statement.execute(
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON leasehold_lock, leasehold_holder, leasehold_waiter, leasehold_layout TO operator");
            String url = POSTGRES.get().sessionUrl().replace("user=postgres", "user=operator");
            try (Leasehold operator = Leasehold.connect(url)) {
                assertThatThrownBy(() -> operator.breakLock(name, held.token()))
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("42501")
                        .hasMessageContaining("docs/sql.md");
            }
            held.extend(Duration.ofSeconds(3));
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void aPoolerThatLendsSessionsPerTransactionIsRefused(boolean onPostgres, boolean newestFirst) throws Exception {
        SessionServer server = onPostgres ? POSTGRES.get() : MARIADB.get();
        try (TransactionPooler pooler = new TransactionPooler(server.url(), newestFirst, 3);
                Leasehold client = Leasehold.builder()
                        .store(JdbcStore.using(pooler.dataSource()).withSessionLocks(true))
                        .build()) {
            assertThatThrownBy(() -> client.lock(name).acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("pooler")
                    .hasMessageContaining("nothing was locked");
            assertThat(server.isTaken(name))
                    .as("left on a session of the pooler")
                    .isFalse();
        }
    }

    /** Or it would not be the pooler that the test above is about. */
    @Test
    void behindThatPoolerLocksInTheTablesWork() throws Exception {
        try (TransactionPooler pooler = new TransactionPooler(POSTGRES.get().url(), false, 3);
                Leasehold client = Leasehold.builder()
                        .store(JdbcStore.using(pooler.dataSource()).withListen(false))
                        .build()) {
            try (Lease lease = client.lock(name).acquire()) {
                assertThat(client.lock(name).tryAcquire()).isEmpty();
                assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
            }
        }
    }

    @Test
    void otherDatabasesAreRefused() throws Exception {
        String h2 = "jdbc:h2:mem:sessions;DB_CLOSE_DELAY=-1";
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(h2);
            try (Leasehold client = Leasehold.builder()
                    .store(JdbcStore.using(pool).withSessionLocks(true))
                    .build()) {
                assertThatThrownBy(() -> client.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("leasehold.sessionLocks is for PostgreSQL, MariaDB and MySQL");
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aPoolOfTwoIsEnoughAndGetsItsConnectionBackAsItWas(SessionServer server) throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.url());
            pool.setMaximumPoolSize(2);
            pool.setAutoCommit(false);
            pool.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            Long before;
            try (Connection connection = pool.getConnection()) {
                before = server.rules().idleMillis(new Sql(connection));
            }
            try (Leasehold client = Leasehold.builder()
                    .store(JdbcStore.using(pool).withConnections(1).withSessionLocks(true))
                    .build()) {
                DistributedLock lock =
                        client.lock(name, LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2)));
                lock.acquire().close();
                Lease left = lock.acquire();
                CompletableFuture<Lease> waiting = lock.acquireAsync();
                left.close();
                get(waiting);
                assertThat(server.isTaken(name)).isTrue();
            }
            try (Connection first = pool.getConnection();
                    Connection second = pool.getConnection()) {
                for (Connection connection : List.of(first, second)) {
                    assertThat(server.rules().idleMillis(new Sql(connection))).isEqualTo(before);
                    assertThat(connection.getAutoCommit()).isFalse();
                }
            }
            assertThat(server.isTaken(name)).isFalse();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aGivenDataSourceIsNotClosed(SessionServer server) throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.url());
            pool.setMaximumPoolSize(5);
            JdbcStore plain = JdbcStore.using(pool);
            for (JdbcStore store : List.of(plain, plain.withSessionLocks(true))) {
                Leasehold client = Leasehold.builder().store(store).build();
                // A client that has left a lease may close its store later.
                client.lock(name).acquire().close();
                client.close();
                assertThat(pool.isClosed()).isFalse();
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isValid(60)).isTrue();
            }
        }
    }

    /** A store that is closed with its leases leaves none of them on a connection that goes on living in its pool. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aConnectionThatIsGivenBackHoldsNoLock(SessionServer server) throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(server.url());
            pool.setMaximumPoolSize(5);
            StoreContext context = new StoreContext("me", "me", "", time, Duration.ofMinutes(1), new NoSignals());
            try (Store store = JdbcStore.using(pool).withSessionLocks(true).open(context)) {
                Claim claim = new Claim(new ClaimId("me", 1), name, Duration.ofMinutes(10), 0, false);
                get(store.claim(claim).toCompletableFuture());
                assertThat(server.isTaken(name)).isTrue();
            }
            assertThat(server.isTaken(name)).isFalse();
        }
    }

    private static boolean isGone(Statement statement) throws SQLException {
        try (var row = statement.executeQuery("SELECT COUNT(*) FROM old_lock WHERE name = 'dead'")) {
            row.next();
            return row.getInt(1) == 0;
        }
    }
}
