package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show what happens to PostgreSQL, its connections and its settings, and must not happen to locks. */
@Tag("slow")
class PostgresHardCasesTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    private static HikariDataSource pool(int size, Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(POSTGRES.get().url());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(20_000);
        settings.accept(config);
        return new HikariDataSource(config);
    }

    private static Leasehold client(HikariDataSource pool) {
        return Leasehold.builder().store(JdbcStore.using(pool)).build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    @DisplayName("Exclusion and order hold at every isolation level with auto commit off")
    void exclusionAndOrderHoldAtEveryIsolationLevel(String isolation) throws Exception {
        int before = errors();
        try (HikariDataSource pool = pool(6, config -> {
                    config.setTransactionIsolation(isolation);
                    config.setAutoCommit(false);
                });
                Leasehold one = client(pool);
                Leasehold two = client(pool)) {
            new Contention(name, List.of(one, two)).take(40);
            try (Connection returned = pool.getConnection()) {
                assertThat(returned.getAutoCommit()).isFalse();
                assertThat("TRANSACTION_" + level(returned)).isEqualTo(isolation);
            }
        }
        assertThat(errors()).as("errors that PostgreSQL has logged").isEqualTo(before);
    }

    private static String level(Connection connection) throws SQLException {
        return switch (connection.getTransactionIsolation()) {
            case Connection.TRANSACTION_READ_COMMITTED -> "READ_COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE_READ";
            default -> "SERIALIZABLE";
        };
    }

    /** Even where nobody sets the level: then there are errors, but not wrong answers. */
    @Test
    void theProtocolIsRightAtSerializableItself() throws Exception {
        try (Statement statement =
                DriverManager.getConnection(POSTGRES.get().url()).createStatement()) {
            statement.execute("CREATE ROLE strict LOGIN SUPERUSER");
        }
        String url = POSTGRES.get().url().replace("user=postgres", "user=strict");
        try (HikariDataSource pool = pool(6, config -> config.setJdbcUrl(url));
                Leasehold one = client(pool);
                Leasehold two = client(pool)) {
            one.lock(name).acquire().close(); // From here on the pool's level is believed to be READ COMMITTED.
            two.lock(name).acquire().close();
            try (Statement statement = DriverManager.getConnection(url).createStatement()) {
                statement.execute("ALTER ROLE strict SET default_transaction_isolation = 'serializable'");
            }
            pool.getHikariPoolMXBean().softEvictConnections();
            new Contention(name, List.of(one, two)).take(40);
        }
    }

    @Test
    void aPoolOfOneConnectionIsEnoughAlsoWhileWaiting() throws Exception {
        try (HikariDataSource pool = pool(1, config -> {});
                Leasehold one = client(pool);
                Leasehold two = client(pool)) {
            Lease held = one.lock(name).acquire();
            CompletableFuture<Lease> waiting = two.lock(name).acquireAsync();
            waitUntil(() -> one.locks(name).get(0).waiters().size() == 1);
            one.lock(name + " other").acquire().close();
            held.close();
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void twoHundredLocksAtOnce() throws Exception {
        try (Leasehold one = Leasehold.connect(POSTGRES.get().url());
                Leasehold two = Leasehold.connect(POSTGRES.get().url())) {
            List<CompletableFuture<Lease>> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                held.add(one.lock(name + i).acquireAsync());
            }
            for (CompletableFuture<Lease> lease : held) {
                lease.get(A_MINUTE, TimeUnit.SECONDS);
            }
            for (int i = 0; i < 200; i++) {
                waiting.add(two.lock(name + i).acquireAsync());
            }
            for (CompletableFuture<Lease> lease : held) {
                lease.join().releaseAsync();
            }
            for (CompletableFuture<Lease> lease : waiting) {
                assertThat(lease.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
            }
        }
    }

    @Test
    void manyLeasesAreRenewedInBatches() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));
        try (CountingPool pool = new CountingPool(POSTGRES.get().url());
                Leasehold client = client(pool)) {
            List<CompletableFuture<Lease>> held = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                held.add(client.lock(name + i, brief).acquireAsync());
            }
            for (CompletableFuture<Lease> lease : held) {
                lease.get(A_MINUTE, TimeUnit.SECONDS);
            }
            int before = pool.lent.get();
            await() // A little longer than a lease.
                    .during(Duration.ofSeconds(11))
                    .untilAsserted(() -> assertThat(held)
                            .allSatisfy(
                                    lease -> assertThat(lease.join().isValid()).isTrue()));
            assertThat(pool.lent.get() - before)
                    .as("round trips for some 1,700 renewals; the faster the database, the smaller the batches")
                    .isLessThan(1400);
        }
    }

    @Test
    void timeZonesAndDaylightSavingChangeNothing() throws Exception {
        TimeZone before = TimeZone.getDefault();
        try (Leasehold one = Leasehold.connect(POSTGRES.get().url())) {
            Lease held = one.lock(name).acquire();
            TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
            try (Leasehold two = Leasehold.connect(
                    POSTGRES.get().url() + "&options=-c%20TimeZone=America/St_Johns&leasehold.label=two")) {
                assertThat(two.lock(name).tryAcquire()).isEmpty();
                assertThat(Duration.between(
                                java.time.Instant.now(),
                                two.locks(name).get(0).holder().until()))
                        .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(40));
                held.close();
                try (Lease next = two.lock(name).acquire()) {
                    assertThat(next.token()).isGreaterThan(held.token());
                }
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }

    @Test
    @DisplayName("A connection that is cut while a claim or a commit is under way is resolved")
    void aCutDuringAClaimOrACommitIsResolved() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(POSTGRES.get().port());
                Leasehold through = Leasehold.connect(PostgresServer.url(proxy.port()));
                Leasehold elsewhere = Leasehold.connect(POSTGRES.get().url())) {
            long last = 0;
            for (int i = 0; i < 6; i++) {
                DistributedLock lock = through.lock(name);
                Lease blocker = i % 2 == 0 ? null : elsewhere.lock(name).acquire();
                proxy.hold(FaultProxy.Way.ANSWERS);
                CompletableFuture<Lease> asked = lock.acquireAsync();
                waitUntil(() -> proxy.holding() > 0);
                proxy.cut();
                proxy.letGo();
                if (blocker != null) {
                    blocker.close();
                }
                try (Lease lease = asked.get(A_MINUTE, TimeUnit.SECONDS)) {
                    assertThat(lease.token()).isGreaterThan(last);
                    last = lease.token();
                    assertThat(elsewhere.lock(name).tryAcquire()).isEmpty();
                }
                waitUntil(() -> elsewhere.locks(name).isEmpty());
            }
        }
    }

    /** Deterministic, where the contract's test of it depends on the machine's speed. */
    @Test
    @DisplayName("A single statement overtakes no waiter for a lock that is free")
    void aSingleStatementOvertakesNoWaiter() throws Exception {
        try (Leasehold client = Leasehold.connect(POSTGRES.get().url());
                Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            client.lock(name).acquire().close();
            String ghost = "'', '" + name + "', 1, 'ghost', 1, 'ghost', 0, 30000000, 0, 1, 9007199254740991";
            statement.execute("INSERT INTO leasehold_waiter VALUES (" + ghost + ")");
            statement.execute("UPDATE leasehold_lock SET waiters = 1 WHERE name = '" + name + "'");
            assertThat(client.lock(name).tryAcquire()).isEmpty();
            assertThat(client.locks(name).get(0).holder().owner()).isEqualTo("ghost");
        }
    }

    @Test
    @DisplayName("A server that is killed and restarted under load holds nothing twice")
    void aServerRestartedUnderLoadHoldsNothingTwice() throws Exception {
        try (PostgresServer own = PostgresServer.start();
                Leasehold one = Leasehold.connect(own.url());
                Leasehold two = Leasehold.connect(own.url())) {
            new Contention(name, List.of(one, two)).goOnThrough(() -> {
                own.kill();
                own.restart();
            });
        }
    }

    @Test
    void waitersAreWokenByAMessageAndAskNothingMeanwhile() throws Exception {
        LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));
        try (StatementLog log = new StatementLog(POSTGRES.get().url());
                Leasehold one = Leasehold.connect(POSTGRES.get().url());
                Leasehold two = Leasehold.builder()
                        .store(JdbcStore.using(log.dataSource()))
                        .build()) {
            Lease held = one.lock(name, longer).acquire();
            CompletableFuture<Lease> waiting = two.lock(name, longer).acquireAsync();
            waitUntil(() -> one.locks(name).get(0).waiters().size() == 1);
            waitUntilQuiet(log); // Once the test message has come through. Who polls asks twenty times in two seconds.
            held.close();
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
            // A question would be answered by another statement.
            assertThat(log.drain()).anyMatch(statement -> statement.contains("MIN(m.position)"));
        }
    }

    /** A commit with a message waits for all others of the cluster that have one. */
    @Test
    void aClientThatDoesNotListenSendsNoMessages() throws Exception {
        try (StatementLog log = new StatementLog(POSTGRES.get().url());
                Leasehold one = Leasehold.builder()
                        .store(JdbcStore.using(log.dataSource()).withListen(false))
                        .build();
                Leasehold two = Leasehold.connect(POSTGRES.get().url())) {
            Lease held = one.lock(name).acquire();
            CompletableFuture<Lease> waiting = two.lock(name).acquireAsync();
            waitUntil(() -> one.locks(name).get(0).waiters().size() == 1);
            held.close();
            waiting.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(one.breakLock(name, waiting.join().token())).isTrue();
            assertThat(log.drain()).isNotEmpty().noneMatch(statement -> statement.contains("pg_notify"));
        }
    }

    @Test
    void aBrokenLeaseIsToldToAHolderThatListens() throws Exception {
        try (Leasehold one = Leasehold.connect(POSTGRES.get().url());
                Leasehold two = Leasehold.connect(POSTGRES.get().url())) {
            Lease held = one.lock(name).acquire();
            assertThat(two.breakLock(name, held.token())).isTrue();
            waitUntil(() -> held.state() == LeaseState.LOST);
        }
    }

    /** A dump that locks, or a migration: who asks meanwhile waits, and a lease that lasts is not lost. */
    @Test
    void aBackupThatLocksTheTableIsWaitedFor() throws Exception {
        LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));
        try (Leasehold client = Leasehold.connect(POSTGRES.get().url() + "&leasehold.storeTimeout=600000");
                Connection backup = DriverManager.getConnection(POSTGRES.get().url())) {
            Lease held = client.lock(name, longer).acquire();
            backup.setAutoCommit(false);
            backup.createStatement().execute("LOCK TABLE leasehold_lock IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Lease> claim =
                    client.lock(name + " other", longer).acquireAsync();
            waitUntil(() -> POSTGRES.get().log().contains("canceling statement due to lock timeout"));
            backup.rollback();
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    /** A role may have such a limit; the connections that listen, and those of the pool, are idle for long. */
    @Test
    void idleSessionsThatTheServerEndsAreMadeAgain() throws Exception {
        String url = POSTGRES.get().url() + "&options=-c%20idle_session_timeout%3D1000";
        LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));
        try (Leasehold one = Leasehold.connect(url);
                Leasehold two = Leasehold.connect(url)) {
            Lease held = one.lock(name, longer).acquire();
            CompletableFuture<Lease> claim = two.lock(name, longer).acquireAsync();
            waitUntil(() -> POSTGRES.get()
                            .log()
                            .lines()
                            .filter(line -> line.contains("due to idle-session timeout"))
                            .count()
                    > 5);
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    /** A router has forgotten the connection that listens, and nobody is told so. */
    @Test
    void whoListensOnADeadConnectionHasTheLockAllTheSame() throws Exception {
        LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));
        try (FaultProxy proxy = FaultProxy.to(POSTGRES.get().port());
                Leasehold one = Leasehold.connect(POSTGRES.get().url());
                Leasehold two = Leasehold.connect(PostgresServer.url(proxy.port()) + "&leasehold.storeTimeout=60000")) {
            Lease held = one.lock(name, longer).acquire();
            CompletableFuture<Lease> claim = two.lock(name, longer).acquireAsync();
            waitUntil(() -> one.locks(name).get(0).waiters().size() == 1);
            proxy.abandon();
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    /** Until at most one question was asked in two seconds. */
    private static void waitUntilQuiet(StatementLog log) {
        long[] quiet = {System.nanoTime()};
        waitUntil(() -> {
            if (log.drain().size() > 1) {
                quiet[0] = System.nanoTime();
            }
            return System.nanoTime() - quiet[0] > Duration.ofSeconds(2).toNanos();
        });
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void waitUntil(Condition condition) {
        await().atMost(Duration.ofSeconds(90)).until(condition::holds);
    }

    /** Counts whatever the log calls an error. */
    private static int errors() {
        return (int) POSTGRES.get()
                .log()
                .lines()
                .filter(line -> line.contains("ERROR:"))
                .count();
    }
}
