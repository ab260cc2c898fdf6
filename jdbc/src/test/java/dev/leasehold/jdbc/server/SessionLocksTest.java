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
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.FaultProxy;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testkit.Started;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What happens to the sessions that hold locks, and what must not happen to the locks. */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SessionLocksTest {

    private static final LockOptions THREE_SECONDS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3));

    @RegisterExtension
    private static final Started<SessionServer> POSTGRES = new Started<>(SessionServer::postgres);

    @RegisterExtension
    private static final Started<SessionServer> MARIADB = new Started<>(SessionServer::mariadb);

    @AutoClose
    private final RealTime time = new RealTime();

    private final String name = "lock-" + UUID.randomUUID();

    static List<SessionServer> servers() {
        return List.of(POSTGRES.get(), MARIADB.get());
    }

    private static Leasehold connect(SessionServer server) {
        return Leasehold.connect(server.sessionUrl());
    }

    private static void waitUntil(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aSessionThatTheServerEndsTakesItsLeasesAlongAndTheirHoldersAreTold(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            Lease held = one.lock(name, THREE_SECONDS).acquire();
            Lease other = one.lock(name + " other", THREE_SECONDS).acquire();
            assertThat(server.isTaken(name)).isTrue();
            server.endSessionOf(name);
            waitUntil(() -> held.state() == LeaseState.LOST && other.state() == LeaseState.LOST);
            try (Lease next = two.lock(name).acquire();
                    Lease another = one.lock(name + " other").acquire()) {
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(another.token()).isGreaterThan(other.token());
            }
            assertThat(held.release()).isEqualTo(LeaseState.LOST);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void whoWaitsForAHolderThatHasDiedFindsOutByAsking(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));
            Lease held = one.lock(name, longer).acquire();
            CompletableFuture<Lease> waiting = two.lock(name, THREE_SECONDS).acquireAsync();
            waitUntil(() -> two.locks(name).get(0).waiters().size() == 1);
            server.endSessionOf(name);
            try (Lease next = get(waiting)) {
                assertThat(next.token()).isGreaterThan(held.token());
            }
            // Whatever the client does next finds out for all of its leases, long before one is due to be renewed.
            one.lock(name + " another").acquire().close();
            waitUntil(() -> held.state() == LeaseState.LOST);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aClientThatIsCutOffInSilenceIsTheLastToBelieveAndTheIdleLimitFreesItsLock(SessionServer server)
            throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_500));
        try (FaultProxy proxy = FaultProxy.to(server.port());
                Leasehold cutOff = Leasehold.connect(server.sessionUrl(proxy.port()));
                Leasehold other = connect(server)) {
            Lease held = cutOff.lock(name, brief).acquire();
            AtomicBoolean believed = new AtomicBoolean(true);
            CompletableFuture<Lease> waiting =
                    other.lock(name, brief).acquireAsync().whenComplete((lease, e) -> believed.set(held.isValid()));
            proxy.blackHole();
            try (Lease next = get(waiting)) {
                assertThat(believed).isFalse();
                assertThat(held.state()).isEqualTo(LeaseState.LOST);
                assertThat(next.token()).isGreaterThan(held.token());
            }
            proxy.cut();
            proxy.letGo();
            try (Lease again = cutOff.lock(name, brief).acquire()) {
                assertThat(again.isValid()).isTrue();
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aLeaseIsKeptForAsLongAsItsHolderAnswersHoweverShortTheLimit(SessionServer server) throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(500));
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            Lease held = one.lock(name, brief).acquire();
            Awaitility.await()
                    .during(Duration.ofSeconds(3)) // Three times the limit.
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> held.state() != LeaseState.LOST);
            assertThat(two.lock(name).tryAcquire()).isEmpty();
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aRestartOfTheServerEndsAllLeasesAndTokensIncreaseThroughIt(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            Lease held = one.lock(name, THREE_SECONDS).acquire();
            server.restart().run();
            waitUntil(() -> held.state() == LeaseState.LOST);
            try (Lease next = two.lock(name).acquire()) {
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(one.lock(name).tryAcquire()).isEmpty();
            }
            one.lock(name).acquire().close();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void twoHundredLocksAtOnceTakeOneSession(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            List<CompletableFuture<Lease>> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                held.add(one.lock(name + i, THREE_SECONDS).acquireAsync());
            }
            for (CompletableFuture<Lease> lease : held) {
                get(lease);
            }
            for (int i = 0; i < 200; i++) {
                waiting.add(two.lock(name + i, THREE_SECONDS).acquireAsync());
            }
            Awaitility.await()
                    .during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> held.stream().allMatch(lease -> lease.join().state() != LeaseState.LOST));
            for (CompletableFuture<Lease> lease : held) {
                lease.join().releaseAsync();
            }
            for (CompletableFuture<Lease> lease : waiting) {
                get(lease).releaseAsync();
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aKeyThatAnotherUserOfItHasMakesTheLockBusyUntilItIsGivenBack(SessionServer server) throws Exception {
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
    void whoeverDeletesTheRowsTakesNoLockAway(SessionServer server) throws Exception {
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
    void clientsWithAndWithoutSessionLocksExcludeEachOtherAndTokensIncrease(SessionServer server) throws Exception {
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

    /** Connections of a server, each of which can be looked at. */
    private static final class Glass {
        private final List<Connection> lent = new CopyOnWriteArrayList<>();
        private final String url;

        Glass(String url) {
            this.url = url;
        }

        DataSource dataSource() {
            return (DataSource) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> {
                        Connection connection = DriverManager.getConnection(url);
                        lent.add(connection);
                        return connection;
                    });
        }

        /** The one that is kept open while nothing is done. */
        Connection pinned() throws SQLException {
            for (Connection connection : lent) {
                if (!connection.isClosed()) {
                    return connection;
                }
            }
            throw new AssertionError("none is open");
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void theSessionMayBeIdleForAsLongAsItsLongestLeaseAndNotForLonger(SessionServer server) throws Exception {
        Glass glass = new Glass(server.url());
        try (Leasehold client = Leasehold.builder()
                .store(JdbcStore.using(glass.dataSource()).withSessionLocks(true))
                .build()) {
            LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));
            Lease brief = client.lock(name, THREE_SECONDS).acquire();
            Sql pinned = new Sql(glass.pinned());
            assertThat(server.rules().idleMillis(pinned)).isBetween(3_000L, 4_000L);
            Lease lasting = client.lock(name + " lasting", longer).acquire();
            assertThat(server.rules().idleMillis(pinned)).isBetween(600_000L, 601_000L);
            lasting.close();
            waitUntil(() -> server.rules().idleMillis(pinned) <= 4_000L);
            brief.extend(Duration.ofMinutes(1));
            assertThat(server.rules().idleMillis(pinned)).isBetween(60_000L, 61_000L);
            brief.close();
        }
    }

    /** The answer to a claim may be lost, and the session with it, before the claim is repeated. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aClaimThatIsRepeatedIsNotGrantedWhatAnEarlierSessionOfItsClientHas(SessionServer server) throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            Glass glass = new Glass(server.sessionUrl(proxy.port()).replace(SessionServer.OPTION, ""));
            StoreContext context = new StoreContext("me", "me", "", time, Duration.ofSeconds(10), new NoSignals());
            try (Store store =
                    JdbcStore.using(glass.dataSource()).withSessionLocks(true).open(context)) {
                Claim claim = new Claim(new ClaimId("me", 1), name, Duration.ofMinutes(10), 0, false);
                ClaimAnswer first = get(store.claim(claim).toCompletableFuture());
                proxy.abandon();
                glass.pinned().abort(Runnable::run);
                assertThat(get(store.claim(claim).toCompletableFuture())).isInstanceOf(ClaimAnswer.Busy.class);
                LeaseId stray = ((ClaimAnswer.Granted) first).lease();
                assertThat(get(store.release(stray, Duration.ZERO).toCompletableFuture()))
                        .isEqualTo(ReleaseAnswer.NOT_HELD);
                assertThat(server.isTaken(name)).isTrue();
                server.endSessionOf(name);
                waitUntil(() -> !server.isTaken(name));
                ClaimAnswer second = get(store.claim(claim).toCompletableFuture());
                assertThat(((ClaimAnswer.Granted) second).lease().token())
                        .isGreaterThan(((ClaimAnswer.Granted) first).lease().token());
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
            StoreContext context = new StoreContext("me", "me", "", time, Duration.ofSeconds(10), new NoSignals());
            try (Store store = JdbcStore.using(pool).withSessionLocks(true).open(context)) {
                Claim claim = new Claim(new ClaimId("me", 1), name, Duration.ofMinutes(10), 0, false);
                get(store.claim(claim).toCompletableFuture());
                assertThat(server.isTaken(name)).isTrue();
            }
            assertThat(server.isTaken(name)).isFalse();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void exclusionHoldsWhileSessionsAreEndedAgainAndAgain(SessionServer server) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<long[]> tokens = new ArrayList<>();
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            List<CompletableFuture<Long>> all = new ArrayList<>();
            for (Leasehold client : List.of(one, two)) {
                all.add(CompletableFuture.supplyAsync(() -> {
                    DistributedLock lock = client.lock(name, THREE_SECONDS);
                    long done = 0;
                    while (!stop.get()) {
                        try (Lease lease = lock.acquire()) {
                            synchronized (tokens) {
                                tokens.add(new long[] {lease.token()});
                            }
                            done++;
                        } catch (LockException | InterruptedException e) {
                            // The session was ended just then.
                        }
                    }
                    return done;
                }));
            }
            for (int i = 0; i < 10; i++) {
                int enough;
                synchronized (tokens) {
                    enough = tokens.size() + 5;
                }
                waitUntil(() -> {
                    synchronized (tokens) {
                        return tokens.size() >= enough;
                    }
                });
                server.endSessionOf(name);
            }
            stop.set(true);
            for (CompletableFuture<Long> each : all) {
                assertThat(get(each)).isPositive();
            }
        }
        // Granted tokens are all different, and no lock stays behind.
        assertThat(tokens.stream().mapToLong(each -> each[0]).distinct().count())
                .isEqualTo(tokens.size());
        assertThat(server.isTaken(name)).isFalse();
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void rowsOfHoldersThatDiedLongAgoAreRemoved(SessionServer server) throws Exception {
        String tables = "&leasehold.tables=old_";
        try (Leasehold client = Leasehold.connect(server.sessionUrl() + tables);
                Connection admin = DriverManager.getConnection(server.url());
                Statement statement = admin.createStatement()) {
            client.lock("a").acquire().close();
            statement.execute(
                    "INSERT INTO old_lock (namespace, name, last, client, counter, token, run_end, owner, ends)"
                            + " VALUES ('', 'dead', 1, 'gone', 1, 1, 1, 'gone', " + LockRow.StoredLease.OPEN + ")");
            int[] made = {0};
            waitUntil(() -> {
                client.lock("n" + made[0]++).acquire().close();
                return isGone(statement);
            });
        }
    }

    private static boolean isGone(Statement statement) throws SQLException {
        try (var row = statement.executeQuery("SELECT COUNT(*) FROM old_lock WHERE name = 'dead'")) {
            row.next();
            return row.getInt(1) == 0;
        }
    }
}
