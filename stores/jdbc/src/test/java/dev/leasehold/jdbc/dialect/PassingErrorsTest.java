package dev.leasehold.jdbc.dialect;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.FaultyDatabase;
import dev.leasehold.jdbc.FaultyDatabase.Place;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.Question;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** These tests say which refusals of a database pass, and which do not. */
@Tag("slow")
class PassingErrorsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final FaultyDatabase database = new FaultyDatabase();
    private final RealTime time = new RealTime();
    private final Store store = JdbcStore.using(database.dataSource())
            .open(new StoreContext("client", "owner", "", time, Duration.ofMinutes(1), new NoSignals()));

    @BeforeEach
    void open() {
        TestClient.get(store.inspect(NamePattern.of("*")));
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private ClaimAnswer claim() {
        return TestClient.get(store.claim(new Claim(new ClaimId("client", 1), "lock", LEASE, 0, false)));
    }

    private static SQLException error(String state, int code) {
        return new SQLException("made by the test", state, code);
    }

    /** Disk and memory of PostgreSQL, then of MariaDB and MySQL, then of H2; limits of time and of use. */
    @ParameterizedTest
    @CsvSource({
        "53000, 0",
        "53100, 0",
        "53200, 0",
        "53300, 0",
        "53400, 0",
        "58030, 0",
        "HY000, 1021",
        "HY001, 1037",
        "HY001, 1038",
        "HY000, 1041",
        "HY000, 1114",
        "HY000, 1135",
        "42000, 1203",
        "HY000, 1206",
        "42000, 1226",
        "HY000, 1297",
        "70100, 1317",
        "HY000, 1412",
        "HY000, 1637",
        "70100, 1969",
        "HY000, 3024",
        "57014, 57014",
    })
    void whatPassesIsNoRefusal(String state, int code) {
        database.fail(Place.PREPARE, error(state, code));
        assertThatThrownBy(this::claim)
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT))
                .hasMessageContaining("made by the test");
        assertThat(claim()).isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** The disk may have failed after the commit of a single statement, but not before that of a transaction. */
    @ParameterizedTest
    @CsvSource({"HY000, 1026", "HY000, 1030", "90100, 90100", "90108, 90108", "90031, 90031"})
    void aSingleStatementThatMayBeDoneIsUnknown(String state, int code) {
        database.fail(Place.PREPARE, error(state, code));
        assertThatThrownBy(() -> TestClient.get(store.breakLease("lock", 1)))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT));
        database.fail(Place.PREPARE, error(state, code));
        assertThatThrownBy(this::claim)
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.UNKNOWN));
        assertThat(claim()).isInstanceOf(ClaimAnswer.Granted.class);
    }

    @Test
    void whileAllAreReadOnlyOneMoreIsAsked() {
        for (int i = 0; i < 5; i++) {
            database.fail(Place.PREPARE, error("HY000", 1290));
        }
        assertThatThrownBy(this::claim).isInstanceOf(StoreUnavailableException.class);
        await().until(() -> database.spoilt() == 2); // Five were closed before the answer.
    }

    /** The next connection may lead to the primary. */
    @ParameterizedTest
    @CsvSource({"25006, 0", "HY000, 1290", "25006, 1792", "HY000, 1836", "HY000, 1036", "90097, 90097"})
    void whoMayNotWriteIsLeftForAnother(String state, int code) {
        database.fail(Place.PREPARE, error(state, code));
        assertThat(claim()).isInstanceOf(ClaimAnswer.Granted.class);
        assertThat(database.spoilt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"HY000, 1290", "25006, 1792", "HY000, 1836", "25006, 0"})
    void aCommitThatMayNotWriteIsUndone(String state, int code) {
        for (int i = 0; i < 5; i++) {
            database.fail(Place.COMMIT, error(state, code));
        }
        assertThatThrownBy(() -> TestClient.get(store.breakLease("lock", 1)))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT));
    }

    @ParameterizedTest
    @CsvSource({"42501, 0", "42000, 1142", "XX001, 0", "HY000, 1194", "22001, 0"})
    void whatIsRefusedForGoodIsRefused(String state, int code) {
        database.fail(Place.PREPARE, error(state, code));
        assertThatThrownBy(this::claim)
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aTransactionThatTookTooLongLeavesItUnknown() {
        database.fail(Place.PREPARE, error("25P04", 0));
        assertThatThrownBy(this::claim).isInstanceOf(StoreUnavailableException.class);
    }

    private static void run(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static long connections() throws SQLException {
        return Question.number(
                MARIADB.get().url(),
                "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'CONNECTIONS'");
    }

    /** As after a planned switch-over: the old primary stays up, and its connections stay open. */
    @Test
    void mariaDbThatIsReadOnlyForAWhileIsWaitedFor() throws Exception {
        run(MARIADB.get().url(), "CREATE USER app", "GRANT ALL ON test.* TO app");
        String url = MARIADB.get().url().replace("user=root", "user=app");
        try (Leasehold client = Leasehold.connect(url + "&leasehold.storeTimeout=60000")) {
            client.lock("first").acquire().close();
            run(MARIADB.get().url(), "SET GLOBAL read_only = 1");
            long before = connections();
            CompletableFuture<Lease> waiting = client.lock("second").acquireAsync();
            await().until(() -> waiting.isDone() || connections() - before > 20);
            run(MARIADB.get().url(), "SET GLOBAL read_only = 0");
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
        } finally {
            run(MARIADB.get().url(), "SET GLOBAL read_only = 0");
        }
    }

    /** As in a switch-over; each refusal costs a connection. */
    @Test
    void postgresThatIsReadOnlyForAWhileIsWaitedFor() throws Exception {
        String url = POSTGRES.get().url();
        try (Leasehold client = Leasehold.connect(url + "&leasehold.storeTimeout=60000&ApplicationName=waiting")) {
            client.lock("first").acquire().close();
            run(url, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");
            await().until(() -> Question.number(
                            url,
                            "SELECT COUNT(*) FROM pg_settings WHERE name = 'transaction_read_only' AND setting = 'on'")
                    == 1);
            run(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waiting'");
            Set<Long> sessions = new HashSet<>();
            CompletableFuture<Lease> waiting = client.lock("second").acquireAsync();
            await().until(() -> {
                sessions.add(Question.number(
                        url, "SELECT COALESCE(MAX(pid), 0) FROM pg_stat_activity WHERE application_name = 'waiting'"));
                return waiting.isDone() || sessions.size() > 3;
            });
            run(url, "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()");
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
            assertThat(sessions).hasSizeGreaterThan(3);
        } finally {
            run(url, "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()");
        }
    }
}
