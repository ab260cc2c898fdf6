package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * These tests show what happens to MariaDB and its settings, and must not happen to locks; some of it with MySQL's driver.
 */
@Tag("slow")
class MariaDbHardCasesTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    @DisplayName("Exclusion and order hold at every isolation level with auto commit off")
    void exclusionAndOrderHoldAtEveryIsolationLevel(String isolation) throws Exception {
        for (String url : List.of(MARIADB.get().url(), MARIADB.get().mysqlUrl())) {
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setJdbcUrl(url);
                pool.setTransactionIsolation(isolation);
                pool.setAutoCommit(false);
                try (Leasehold one =
                                Leasehold.builder().store(JdbcStore.using(pool)).build();
                        Leasehold two =
                                Leasehold.builder().store(JdbcStore.using(pool)).build()) {
                    new Contention(name, List.of(one, two)).take(25);
                }
                try (Connection returned = pool.getConnection()) {
                    assertThat(returned.getAutoCommit()).isFalse();
                    assertThat(returned.getTransactionIsolation()).isGreaterThan(Connection.TRANSACTION_READ_COMMITTED);
                }
            }
        }
    }

    /** Between locks whose names are neighbours, gaps between the rows of the queues must not matter. */
    @Test
    void contentionForManyLocksMeetsNoDeadlocks() throws Exception {
        int before;
        try (Leasehold one = Leasehold.connect(MARIADB.get().url());
                Leasehold two = Leasehold.connect(MARIADB.get().url())) {
            // The tables are made by one; who makes them is no contention for locks.
            one.lock(name).acquire().close();
            before = MARIADB.get().log().length();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            java.util.concurrent.Executor threadEach = task -> new Thread(task).start();
            for (int i = 0; i < 8; i++) {
                String lock = name + i;
                all.add(CompletableFuture.runAsync(
                        () -> {
                            try {
                                new Contention(lock, List.of(one, two)).take(10);
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        },
                        threadEach));
            }
            for (CompletableFuture<Void> each : all) {
                each.get(A_MINUTE, TimeUnit.SECONDS);
            }
        }
        assertThat(MARIADB.get().log().substring(before)).doesNotContainIgnoringCase("deadlock");
    }

    /** A user's pool is at MariaDB's default level; there, an insert that looks for its row first locks the queue's gaps. */
    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_READ_COMMITTED"})
    void joinersMeetNoDeadlocks(String isolation) throws Exception {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(MARIADB.get().url());
            pool.setTransactionIsolation(isolation);
            pool.setMaximumPoolSize(20);
            List<Leasehold> clients = new ArrayList<>();
            for (int i = 0; i < 13; i++) {
                clients.add(Leasehold.builder().store(JdbcStore.using(pool)).build());
            }
            Leasehold first = clients.get(0);
            first.lock(name).acquire().close();
            List<Object> kept = new ArrayList<>();
            int before = MARIADB.get().log().length();
            for (int round = 0; round < 5; round++) {
                String lock = name + round;
                kept.add(first.lock(lock).acquire());
                clients.subList(1, 13)
                        .forEach(client -> kept.add(client.lock(lock).acquireAsync()));
                await().until(() -> first.locks(lock).get(0).waiters().size() == 12);
            }
            String log = MARIADB.get().log().substring(before);
            clients.forEach(client -> client.close(Duration.ZERO));
            assertThat(log).doesNotContainIgnoringCase("deadlock");
        }
    }

    @Test
    void anUncontendedCycleIsTwoStatements() throws Exception {
        try (Leasehold client = Leasehold.connect(MARIADB.get().url());
                Connection connection =
                        DriverManager.getConnection(MARIADB.get().url());
                Statement statement = connection.createStatement()) {
            client.lock(name).acquire().close();
            long before = questions(statement);
            for (int i = 0; i < 50; i++) {
                client.lock(name).acquire().close();
            }
            // One question is the count itself; renewals and checks of idle connections may come in between.
            assertThat(questions(statement) - before).isBetween(100L, 110L);
        }
    }

    private static long questions(Statement statement) throws SQLException {
        try (var row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
            row.next();
            return row.getLong(2);
        }
    }

    @Test
    void manyLeasesAreRenewedInBatchesAlsoWithMySqlsDriver() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));
        try (Leasehold maria = Leasehold.connect(MARIADB.get().url());
                Leasehold mysql = Leasehold.connect(MARIADB.get().mysqlUrl())) {
            List<CompletableFuture<Lease>> held = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                held.add(maria.lock(name + i, brief).acquireAsync());
                held.add(mysql.lock(name + "-mysql-" + i, brief).acquireAsync());
            }
            for (CompletableFuture<Lease> lease : held) {
                lease.get(A_MINUTE, TimeUnit.SECONDS);
            }
            await().during(Duration.ofSeconds(11)) // A little longer than a lease.
                    .until(() -> held.stream().allMatch(lease -> lease.join().isValid()));
        }
    }

    @Test
    void clientsThatMakeTheTablesAtTheSameMomentAllSucceed() throws Exception {
        Contention.forTheTables(name, MARIADB.get().url());
    }

    @Test
    @DisplayName("A server that is killed and restarted under load holds nothing twice")
    void aServerRestartedUnderLoadHoldsNothingTwice() throws Exception {
        try (MariaDbServer own = MariaDbServer.start();
                Leasehold one = Leasehold.connect(own.url());
                Leasehold two = Leasehold.connect(own.url())) {
            new Contention(name, List.of(one, two)).goOnThrough(() -> {
                own.kill();
                own.restart();
            });
        }
    }

    /** As mysqldump and others do: who asks meanwhile waits, and a lease that lasts is not lost. */
    @Test
    void aBackupThatLocksAllTablesIsWaitedFor() throws Exception {
        LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));
        try (Leasehold client = Leasehold.connect(MARIADB.get().url() + "&leasehold.storeTimeout=600000");
                Leasehold impatient = Leasehold.connect(MARIADB.get().url() + "&leasehold.storeTimeout=5000");
                Connection backup = DriverManager.getConnection(MARIADB.get().url());
                Statement statement = backup.createStatement()) {
            Lease held = client.lock(name, longer).acquire();
            statement.execute("FLUSH TABLES WITH READ LOCK");
            CompletableFuture<Lease> claim =
                    client.lock(name + " other", longer).acquireAsync();
            assertThatThrownBy(() -> impatient.lock(name + " third").acquire())
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(claim).isNotDone();
            statement.execute("UNLOCK TABLES");
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
            assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void timeZonesAndDaylightSavingChangeNothing() throws Exception {
        try (Leasehold one = Leasehold.connect(MARIADB.get().url() + "&sessionVariables=time_zone='+13:00'");
                Leasehold two = Leasehold.connect(MARIADB.get().url() + "&sessionVariables=time_zone='-11:30'")) {
            Lease held = one.lock(name).acquire();
            assertThat(two.lock(name).tryAcquire()).isEmpty();
            assertThat(two.locks(name).get(0).holder().timeLeft())
                    .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
            held.close();
            try (Lease next =
                    two.lock(name).tryAcquire(Duration.ofSeconds(A_MINUTE)).orElseThrow()) {
                assertThat(next.token()).isGreaterThan(held.token());
            }
        }
    }

    @Test
    void leastRightsAreEnoughAndMissingTablesAreNamed() throws Exception {
        try (Connection admin = DriverManager.getConnection(MARIADB.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE DATABASE locks");
            statement.execute("CREATE USER app IDENTIFIED BY 'secret'");
            statement.execute("GRANT SELECT ON locks.* TO app");
            statement.execute("GRANT SELECT ON test.* TO app");
            String url = MARIADB.get().url().replace("user=root", "user=app&password=secret")
                    + "&leasehold.schema=locks&leasehold.tables=my_";
            try (Leasehold app = Leasehold.connect(url + "&leasehold.initializeSchema=never")) {
                assertThatThrownBy(() -> app.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("misses the table `locks`.`my_lock`")
                        .hasMessageContaining("CREATE TABLE IF NOT EXISTS `locks`.`my_waiter`")
                        .hasMessageNotContaining("secret");
            }
            try (Leasehold owner =
                    Leasehold.connect(MARIADB.get().url() + "&leasehold.schema=locks&leasehold.tables=my_")) {
                owner.lock("made").acquire().close();
            }
            statement.execute("REVOKE SELECT ON locks.* FROM app");
            statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.my_lock TO app");
            statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.my_holder TO app");
            statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.my_waiter TO app");
            statement.execute("GRANT SELECT ON locks.my_layout TO app");
            try (Leasehold one = Leasehold.connect(url);
                    Leasehold two = Leasehold.connect(url)) {
                new Contention(name, List.of(one, two)).take(10);
            }
        }
    }
}
