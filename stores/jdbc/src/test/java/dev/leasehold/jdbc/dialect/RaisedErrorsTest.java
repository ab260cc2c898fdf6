package dev.leasehold.jdbc.dialect;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.jdbc.Question;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The databases raise the errors of the table in docs/sql.md themselves, by a trigger on the table of locks: the lock's name
 * ends with what is raised, three times. A lock that has a row is refused an UPDATE, another an INSERT.
 */
class RaisedErrorsTest {

    private static final String POSTGRES_PASSES = "40001 40P01 55P03 57014 53000 53100 53200 53300 53400 58030 25006"
            + " 08006 40003 25P03 25P04 57P01 57P02 57P03 57P05";

    private static final String POSTGRES_REFUSES = "XX001 22001 23505 P0001";

    private static final String POSTGRES_DENIES = "42501";

    private static final String MARIADB_PASSES = "HY000-1020 HY000-1205 40001-1213 HY000-1021 HY000-1026 HY000-1030"
            + " HY001-1037 HY001-1038 08004-1040 HY000-1041 HY000-1114 HY000-1135 42000-1203 HY000-1206 42000-1226"
            + " HY000-1297 70100-1317 HY000-1412 HY000-1637 70100-1969 HY000-3024 HY000-1036 HY000-1290 25006-1792"
            + " HY000-1836 08S01-1158";

    private static final String MARIADB_REFUSES = "HY000-1194 HY000-1034 45000-1644 44000-1369";

    private static final String MARIADB_DENIES = "42000-1142 42000-1143";

    /** Longer than the test. */
    private static final String STORE_TIMEOUT = "&leasehold.storeTimeout=300000";

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Test
    void thoseOfPostgresAreWaitedForOrSaid() throws Exception {
        String url = POSTGRES.get().url();
        for (String name : names(POSTGRES_PASSES + " " + POSTGRES_REFUSES + " " + POSTGRES_DENIES)) {
            run(url, "CREATE SEQUENCE \"" + name + "\"");
        }
        try (Leasehold client = Leasehold.connect(url + STORE_TIMEOUT)) {
            makeRows(client, POSTGRES_PASSES + " " + POSTGRES_REFUSES + " " + POSTGRES_DENIES);
            run(
                    url,
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                            + " IF nextval(quote_ident(NEW.name)) <= 3 THEN"
                            + " RAISE EXCEPTION 'planted' USING ERRCODE = right(NEW.name, 5); END IF; RETURN NEW; END $$",
                    "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON leasehold_lock"
                            + " FOR EACH ROW EXECUTE FUNCTION refuse()");
            waitsFor(client, POSTGRES_PASSES);
            for (String name : names(POSTGRES_PASSES)) {
                assertThat(Question.number(url, "SELECT last_value FROM \"" + name + "\""))
                        .as(name)
                        .isGreaterThan(3);
            }
            for (String name : names(POSTGRES_REFUSES)) {
                isRefused(client, name, "SQLSTATE " + name.substring(4) + ")");
            }
            for (String name : names(POSTGRES_DENIES)) {
                isRefused(client, name, "permission denied");
            }
        }
    }

    @Test
    void thoseOfMariaDbAreWaitedForOrSaid() throws Exception {
        String url = MARIADB.get().url();
        StringBuilder body =
                new StringBuilder(" ON leasehold_lock FOR EACH ROW BEGIN INSERT INTO raised VALUES (NEW.name);"
                        + " IF (SELECT COUNT(*) FROM raised WHERE name = NEW.name) <= 3 THEN");
        for (String error : (MARIADB_PASSES + " " + MARIADB_REFUSES + " " + MARIADB_DENIES).split(" ")) {
            body.append(" IF NEW.name LIKE '%" + error + "' THEN SIGNAL SQLSTATE '" + error.substring(0, 5)
                    + "' SET MYSQL_ERRNO = " + error.substring(6) + ", MESSAGE_TEXT = 'planted'; END IF;");
        }
        body.append(" END IF; END");
        try (Leasehold client = Leasehold.connect(url + STORE_TIMEOUT)) {
            makeRows(client, MARIADB_PASSES + " " + MARIADB_REFUSES + " " + MARIADB_DENIES);
            run(
                    url,
                    "CREATE TABLE raised (name varbinary(512)) ENGINE = MyISAM", // No roll-back takes a row from it.
                    "CREATE TRIGGER refuse_new BEFORE INSERT" + body,
                    "CREATE TRIGGER refuse_old BEFORE UPDATE" + body);
            waitsFor(client, MARIADB_PASSES);
            for (String name : names(MARIADB_PASSES)) {
                assertThat(Question.number(url, "SELECT COUNT(*) FROM raised WHERE name = '" + name + "'"))
                        .as(name)
                        .isGreaterThan(3);
            }
            for (String name : names(MARIADB_REFUSES)) {
                isRefused(client, name, "SQLSTATE " + name.substring(4, 9) + ", error " + name.substring(10) + ")");
            }
            for (String name : names(MARIADB_DENIES)) {
                isRefused(client, name, "permission denied");
            }
        }
    }

    private static List<String> names(String errors) {
        return Stream.of(errors.split(" "))
                .flatMap(error -> Stream.of("old-" + error, "new-" + error))
                .toList();
    }

    private static void makeRows(Leasehold client, String errors) throws InterruptedException {
        for (String error : errors.split(" ")) {
            client.lock("old-" + error).acquire().close();
        }
    }

    private static void waitsFor(Leasehold client, String errors) throws Exception {
        Map<String, CompletableFuture<Lease>> waiting = new LinkedHashMap<>();
        names(errors).forEach(name -> waiting.put(name, client.lock(name).acquireAsync()));
        for (Map.Entry<String, CompletableFuture<Lease>> each : waiting.entrySet()) {
            assertThat(each.getValue()).as(each.getKey()).succeedsWithin(Duration.ofSeconds(A_MINUTE));
            each.getValue().join().close();
        }
    }

    private static void isRefused(Leasehold client, String name, String state) {
        assertThatThrownBy(client.lock(name)::acquire, name)
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("planted")
                .hasMessageContaining(state);
    }

    private static void run(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }
}
