package dev.leasehold.jdbc.doctor;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.testtools.Findings.codes;
import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.DataSourceOf;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Findings;
import dev.leasehold.testtools.Started;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about examinations of real databases: for each finding one that gives it and one that does not. */
@Tag("slow")
class JdbcDoctorTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private static void use(String url) throws Exception {
        try (Leasehold client = Leasehold.connect(url)) {
            client.lock("used").acquire().close();
        }
    }

    private static Examination examine(DataSource dataSource) throws Exception {
        try (Leasehold client =
                Leasehold.builder().store(JdbcStore.using(dataSource)).build()) {
            return client.examine();
        }
    }

    private static void admin(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    @Test
    @DisplayName("A PostgreSQL that is as it should be has nothing worse than a note")
    void aSoundPostgresHasNothingWorseThanANote() throws Exception {
        use(POSTGRES.get().url());
        Examination seen = Findings.examine(POSTGRES.get().url());
        assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
        assertThat(codes(seen, Severity.WARNING)).isEmpty();
        assertThat(codes(seen, Severity.NOTE)).containsExactly("database-no-replica");
        assertThat(codes(seen, Severity.FINE))
                .containsExactly(
                        "database-clock",
                        "database-commits",
                        "database-latency",
                        "database-messages",
                        "database-no-old-snapshot",
                        "database-rights",
                        "database-tables",
                        "database-version",
                        "database-writable",
                        "trial");
        assertThat(the("database-version", seen).what()).startsWith("PostgreSQL 18.");
        assertThat(seen.findings())
                .noneSatisfy(finding -> assertThat(finding.toString()).contains("password="));
    }

    @Test
    void aMariaDbThatIsAsItShouldBeHasNothingWorseThanANote() throws Exception {
        for (String url :
                List.of(MARIADB.get().url(), MARIADB.get().mysqlUrl() + "&sslMode=DISABLED&leasehold.dialect=mysql")) {
            use(url);
            Examination seen = Findings.examine(url);
            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.WARNING)).isEmpty();
            assertThat(codes(seen, Severity.NOTE)).containsExactly("database-no-replica");
            assertThat(codes(seen, Severity.FINE)).contains("database-rights", "database-clock", "trial");
        }
    }

    @Test
    void h2sSettingsAreLookedAt() throws Exception {
        String good = "jdbc:h2:mem:doctor;DB_CLOSE_DELAY=-1";
        use(good);
        Examination seen = Findings.examine(good);
        assertThat(seen.worst()).isEqualTo(Severity.FINE);
        assertThat(codes(seen, Severity.FINE)).contains("database-rights", "database-version", "trial");

        Examination bad = Findings.examine("jdbc:h2:mem:doctor2");
        assertThat(the("database-h2-settings", bad).severity()).isEqualTo(Severity.SERIOUS);
        assertThat(the("database-h2-settings", bad).what()).contains("DB_CLOSE_DELAY");
    }

    @Test
    void aMissingDatabaseIsSaidAndNotMade(@TempDir Path directory) throws Exception {
        String url = "jdbc:h2:" + directory.resolve("locks") + ";WRITE_DELAY=0";
        Examination missing = Findings.examine(url);
        assertThat(codes(missing, Severity.NOTE)).containsExactly("database-missing");
        assertThat(directory).isEmptyDirectory();

        use(url);
        assertThat(codes(Findings.examine(url), Severity.FINE))
                .contains("database-version", "database-tables", "trial");
    }

    @Test
    void missingTablesAreSaidAndNotMade() throws Exception {
        for (String url : List.of(POSTGRES.get().url(), MARIADB.get().url(), "jdbc:h2:mem:doctor3;DB_CLOSE_DELAY=-1")) {
            String mark = url.contains("?") ? "&" : "?";
            String none = url + mark + "leasehold.tables=none_";
            assertThat(the("database-no-tables", Findings.examine(none)).severity())
                    .isEqualTo(Severity.NOTE);
            Examination never = Findings.examine(none + "&leasehold.initializeSchema=never");
            assertThat(the("database-no-tables", never).severity()).isEqualTo(Severity.SERIOUS);
            assertThat(codes(never, Severity.SERIOUS)).containsExactly("database-no-tables");
        }
    }

    @Test
    void anotherLayoutIsSerious() throws Exception {
        String other = POSTGRES.get().url() + "&leasehold.tables=other_";
        use(other);
        admin(POSTGRES.get().url(), "UPDATE other_layout SET layout = 2");
        Finding finding = the("database-other-layout", Findings.examine(other));
        assertThat(finding.what()).contains("layout 2");
        assertThat(finding.remedy()).contains("newer version");
        admin(POSTGRES.get().url(), "UPDATE other_layout SET layout = 0");
        assertThat(codes(Findings.examine(other), Severity.NOTE)).contains("database-no-tables");
    }

    @Test
    void missingRightsAreNamedOneByOne() throws Exception {
        use(POSTGRES.get().url() + "&leasehold.tables=rights_");
        admin(
                POSTGRES.get().url(),
                "CREATE ROLE guest LOGIN",
                "GRANT SELECT ON rights_layout TO guest",
                "GRANT SELECT, INSERT, UPDATE ON rights_lock TO guest",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON rights_holder, rights_waiter TO guest");
        String guest = POSTGRES.get().url().replace("user=postgres", "user=guest") + "&leasehold.tables=rights_";
        Finding finding = the("database-rights-missing", Findings.examine(guest));
        assertThat(finding.severity()).isEqualTo(Severity.SERIOUS);
        assertThat(finding.what()).endsWith("no right to DELETE ON \"rights_lock\"");
        admin(
                POSTGRES.get().url(),
                "GRANT DELETE ON rights_lock TO guest",
                "REVOKE INSERT ON rights_waiter FROM guest");
        assertThat(the("database-rights-missing", Findings.examine(guest)).remedy())
                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON \"rights_waiter\" TO \"guest\";");
        admin(
                POSTGRES.get().url(),
                "GRANT INSERT ON rights_waiter TO guest",
                "REVOKE UPDATE, DELETE ON rights_holder FROM guest");
        assertThat(the("database-rights-missing", Findings.examine(guest)).what())
                .endsWith("no right to UPDATE, DELETE ON \"rights_holder\"");
        admin(POSTGRES.get().url(), "GRANT UPDATE, DELETE ON rights_holder TO guest");
        assertThat(codes(Findings.examine(guest), Severity.SERIOUS)).isEmpty();
    }

    /** As pgpool-II sends them by default, and MaxScale. */
    @Test
    void readsThatAReplicaAnswersAreNoReplica() throws Exception {
        assertReadElsewhere(POSTGRES.get().url(), "pg_is_in_recovery()", "true");
        assertReadElsewhere(MARIADB.get().url(), "SHOW GLOBAL VARIABLES LIKE 'read_only'", "SELECT 'read_only', 'ON'");
    }

    private static void assertReadElsewhere(String url, String asked, String ofReplica) throws Exception {
        use(url);
        DataSource balancing = proxy(DataSource.class, (self, method, arguments) -> {
            Connection real = DriverManager.getConnection(url);
            return proxy(Connection.class, (connection, called, values) -> {
                if (called.getName().equals("prepareStatement") && ((String) values[0]).contains(asked)) {
                    PreparedStatement here = real.prepareStatement((String) values[0]);
                    PreparedStatement there = real.prepareStatement(((String) values[0]).replace(asked, ofReplica));
                    return proxy(
                            PreparedStatement.class,
                            (statement, asking, with) -> asking.invoke(real.getAutoCommit() ? there : here, with));
                }
                try {
                    return called.invoke(real, values);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        });
        Examination seen = examine(balancing);
        assertThat(the("database-reads-elsewhere", seen).what()).contains("sends reads to another server");
        assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void missingRightsOnMariaDbAreNamedOneByOne() throws Exception {
        use(MARIADB.get().url() + "&leasehold.tables=rights_");
        admin(
                MARIADB.get().url(),
                "CREATE USER guest",
                "GRANT SELECT ON test.rights_layout TO guest",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON test.rights_lock TO guest",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON test.rights_holder TO guest",
                "GRANT SELECT, UPDATE ON test.rights_waiter TO guest");
        String guest = MARIADB.get().url().replace("user=root", "user=guest") + "&leasehold.tables=rights_";
        assertThat(the("database-rights-missing", Findings.examine(guest)).what())
                .endsWith("no right to INSERT, DELETE ON `rights_waiter`");
        admin(MARIADB.get().url(), "GRANT INSERT, DELETE ON test.rights_waiter TO guest");
        assertThat(codes(Findings.examine(guest), Severity.SERIOUS)).isEmpty();
    }

    @Test
    void aDatabaseThatCannotBeWrittenIsSerious() throws Exception {
        use(POSTGRES.get().url());
        admin(POSTGRES.get().url(), "CREATE ROLE reader LOGIN SUPERUSER");
        admin(POSTGRES.get().url(), "ALTER ROLE reader SET default_transaction_read_only = on");
        Examination seen = Findings.examine(POSTGRES.get().url().replace("user=postgres", "user=reader"));
        assertThat(codes(seen, Severity.SERIOUS)).containsExactly("database-read-only", "trial-failed");

        use(MARIADB.get().url());
        admin(MARIADB.get().url(), "SET GLOBAL read_only = 1");
        try {
            assertThat(codes(Findings.examine(MARIADB.get().url()), Severity.SERIOUS))
                    .contains("database-read-only");
        } finally {
            admin(MARIADB.get().url(), "SET GLOBAL read_only = 0");
        }
        assertThat(PostgresFindings.writable("db", true, "off").severity()).isEqualTo(Severity.SERIOUS);
    }

    @Test
    void commitsThatACrashForgetsAreAWarning() throws Exception {
        use(POSTGRES.get().url());
        String off = POSTGRES.get().url() + "&options=-c%20synchronous_commit=off";
        assertThat(codes(Findings.examine(off), Severity.WARNING))
                .as("our own connections set it on")
                .isEmpty();
        Examination given = examine(new DataSourceOf(off));
        assertThat(the("database-forgets", given).fault()).isEqualTo("a crash of the database");
        assertThat(given.verdict()).contains("except after: a crash of the database.");

        use(MARIADB.get().url());
        for (int flush : new int[] {0, 2}) {
            admin(MARIADB.get().url(), "SET GLOBAL innodb_flush_log_at_trx_commit = " + flush);
            assertThat(the("database-forgets", Findings.examine(MARIADB.get().url()))
                            .fault())
                    .isEqualTo(flush == 0 ? "a crash of the database" : "a crash of the database's machine");
        }
        admin(MARIADB.get().url(), "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        assertThat(PostgresFindings.commits("db", "off", "on").code()).isEqualTo("database-forgets");
    }

    @Test
    void replicasThatNobodyWaitsForAreAWarning() {
        assertThat(PostgresFindings.replication("db", 2, "", "on").severity()).isEqualTo(Severity.WARNING);
        assertThat(PostgresFindings.replication("db", 2, "*", "local").severity())
                .isEqualTo(Severity.WARNING);
        assertThat(PostgresFindings.replication("db", 2, "*", "on").severity()).isEqualTo(Severity.FINE);
        assertThat(PostgresFindings.replication("db", 0, "", "on").severity()).isEqualTo(Severity.NOTE);
        assertThat(MySqlFindings.replication("db", "ON", false).severity()).isEqualTo(Severity.WARNING);
        assertThat(MySqlFindings.replication("db", "ON", true).severity()).isEqualTo(Severity.NOTE);
        assertThat(MySqlFindings.replication("db", "OFF", false).code()).isEqualTo("database-no-replica");
    }

    @Test
    void anOldSnapshotIsAWarning() {
        assertThat(PostgresFindings.snapshots("db", 59, 9_999).severity()).isEqualTo(Severity.FINE);
        assertThat(PostgresFindings.snapshots("db", 60, 0).severity()).isEqualTo(Severity.WARNING);
        assertThat(PostgresFindings.snapshots("db", 60, 0).what()).contains("open for 60 s");
        assertThat(PostgresFindings.snapshots("db", 0, 10_000).what())
                .contains("replication slot", "10000 transactions");
    }

    @Test
    void aSnapshotThatStaysOpenIsSeen() throws Exception {
        try (Connection report = DriverManager.getConnection(POSTGRES.get().url());
                Connection looking = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = report.createStatement()) {
            report.setAutoCommit(false);
            report.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1");
            Sql sql = new Sql(looking);
            await().untilAsserted(() ->
                    assertThat(PostgresFindings.longestTransaction(sql)).isPositive());
            assertThat(PostgresFindings.oldestKept(sql)).isZero();
            report.rollback();
            assertThat(PostgresFindings.longestTransaction(sql)).isZero();
        }
    }

    @Test
    void aClockThatIsWrongAndADatabaseThatIsFarAreWarnings() {
        assertThat(DatabaseClock.clock("db", -3_000_000, 500).severity()).isEqualTo(Severity.WARNING);
        assertThat(DatabaseClock.clock("db", -3_000_000, 500).what())
                .isEqualTo("its clock is 3000 ms (± 0.5 ms) behind this machine's");
        assertThat(DatabaseClock.clock("db", 3_000_000, 2_500_000).severity()).isEqualTo(Severity.FINE);
        assertThat(DatabaseClock.latency("db", 60_000, 70_000).severity()).isEqualTo(Severity.WARNING);
        assertThat(DatabaseClock.latency("db", 600, 2_000_000).severity()).isEqualTo(Severity.WARNING);
        assertThat(DatabaseClock.latency("db", 600, 70_000).severity()).isEqualTo(Severity.FINE);
    }

    @Test
    void aPoolerThatLendsConnectionsPerTransactionIsSeen() throws Exception {
        use(POSTGRES.get().url());
        Examination seen = examine(lendingPerStatement(POSTGRES.get().url()));
        assertThat(the("database-pooler", seen).what()).contains("pooler in between");
        assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
        Examination off = Findings.examine(POSTGRES.get().url() + "&leasehold.listen=false");
        assertThat(codes(off, Severity.NOTE)).contains("database-messages-off");
    }

    @Test
    void whatCannotBeReachedIsNotExamined() {
        assertThatThrownBy(
                        () -> Findings.examine("jdbc:postgresql://127.0.0.1:1/db?user=a&leasehold.storeTimeout=1000"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
        assertThatThrownBy(() -> Findings.examine(
                        POSTGRES.get().url().replace("/postgres?", "/nowhere?leasehold.storeTimeout=60000&")))
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nowhere");
    }

    /**
     * Lends connections as a pooler does that lends them per transaction: each statement in auto-commit mode may run on
     * another one.
     */
    private static DataSource lendingPerStatement(String url) {
        return proxy(DataSource.class, new DataSourceOf(url), "getConnection", () -> {
            Connection own = DriverManager.getConnection(url);
            return proxy(
                    Connection.class,
                    own,
                    "createStatement",
                    () -> DriverManager.getConnection(url).createStatement());
        });
    }

    private static <T> T proxy(Class<T> type, T target, String replaced, Callable<?> replacement) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals(replaced)) {
                        return replacement.call();
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
