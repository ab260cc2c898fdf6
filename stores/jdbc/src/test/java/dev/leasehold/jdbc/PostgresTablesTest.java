package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show who may make the tables, and whose they are. */
@Tag("slow")
class PostgresTablesTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void clientsThatMakeTheTablesAtTheSameMomentAllSucceed() throws Exception {
        Contention.forTheTables(name, POSTGRES.get().url());
    }

    @Test
    void leastRightsAreEnoughAndMissingOnesAreNamed() throws Exception {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE SCHEMA locks");
            statement.execute("CREATE ROLE app LOGIN");
            statement.execute("GRANT USAGE ON SCHEMA locks TO app");
            String url = POSTGRES.get().url().replace("user=postgres", "user=app")
                    + "&leasehold.schema=locks&leasehold.tables=my_&leasehold.initializeSchema=";
            try (Leasehold app = Leasehold.connect(url + "never")) {
                assertThatThrownBy(() -> app.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("misses the table \"locks\".\"my_lock\"")
                        .hasMessageContaining("CREATE TABLE IF NOT EXISTS \"locks\".\"my_waiter\"")
                        .hasMessageContaining("GRANT SELECT ON \"locks\".\"my_layout\" TO \"app\";");
            }
            try (Leasehold app = Leasehold.connect(url + "always")) {
                assertThatThrownBy(() -> app.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("could not be made")
                        .hasMessageContaining("permission denied");
            }
            try (Leasehold owner =
                    Leasehold.connect(POSTGRES.get().url() + "&leasehold.schema=locks&leasehold.tables=my_")) {
                owner.lock("made").acquire().close();
            }
            try (Leasehold app = Leasehold.connect(url + "always")) {
                assertThatThrownBy(() -> app.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("permission denied")
                        .hasMessageContaining("GRANT USAGE ON SCHEMA \"locks\" TO \"app\";\n")
                        .hasMessageContaining("GRANT SELECT ON \"locks\".\"my_layout\" TO \"app\";\n");
            }
            statement.execute("GRANT SELECT ON locks.my_layout TO app");
            statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.my_lock, locks.my_holder TO app");
            try (Leasehold app = Leasehold.connect(url + "always")) {
                assertThatThrownBy(app::check)
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("SELECT, INSERT, UPDATE, DELETE ON \"locks\".\"my_waiter\"");
                assertThatThrownBy(() -> app.lock(name).acquire())
                        .as("at the first use, not at the first contention")
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining(
                                "GRANT SELECT, INSERT, UPDATE, DELETE ON \"locks\".\"my_waiter\" TO \"app\";");
            }
            statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks.my_waiter TO app");
            try (Leasehold one = Leasehold.connect(url + "always");
                    Leasehold two = Leasehold.connect(url + "never")) {
                new Contention(name, List.of(one, two)).take(10);
            }
        }
    }

    /** Rights that are taken away while a client works were told as: check the user's rights. */
    @Test
    void rightsThatAreTakenAwayAreNamed() throws Exception {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement();
                Leasehold owner = Leasehold.connect(POSTGRES.get().url() + "&leasehold.tables=taken_")) {
            owner.lock("made").acquire().close();
            statement.execute("CREATE ROLE taken LOGIN");
            for (String table : List.of("lock", "holder", "waiter", "layout")) {
                statement.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON taken_" + table + " TO taken");
            }
            String url = POSTGRES.get().url().replace("user=postgres", "user=taken") + "&leasehold.tables=taken_";
            try (Leasehold client = Leasehold.connect(url)) {
                client.lock(name).acquire().close();
                statement.execute("REVOKE UPDATE ON taken_lock FROM taken");
                assertThatThrownBy(() -> client.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("UPDATE, DELETE ON \"public\".\"taken_lock\" TO \"taken\";");
            }
        }
    }

    /** The encoding knows no such character, and every lock of the client failed. */
    @Test
    void aDescriptionIsMadeToFitTheEncoding() throws Exception {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
            String url = POSTGRES.get().url().replaceFirst("(://[^/]*/)[^?]*", "$1latin");
            try (Leasehold client =
                    Leasehold.builder().uri(url).label("\u5317\u4eac 1").build()) {
                client.lock(name).acquire().close();
                try (Lease held = client.lock(name).acquire()) {
                    assertThat(held.isValid()).isTrue();
                    assertThat(client.locks(name).get(0).toString()).contains("?? 1");
                }
            }
        }
    }

    /** The message was: check user and password. */
    @Test
    @DisplayName("Tables of our names that belong to another application are named as such")
    void foreignTablesOfOurNamesAreToldAsSuch() throws Exception {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE TABLE door_layout (hinges int)");
            statement.execute("CREATE TABLE bolt_lock (key_number int)");
            for (String prefix : List.of("door_", "bolt_")) {
                try (Leasehold one = Leasehold.connect(POSTGRES.get().url() + "&leasehold.tables=" + prefix)) {
                    assertThatThrownBy(() -> one.lock(name).acquire())
                            .isInstanceOf(LockException.class)
                            .isNotInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("are not those that Leasehold makes")
                            .hasMessageContaining("leasehold.tables=")
                            .hasMessageNotContaining("password");
                }
            }
        }
    }

    @Test
    void anotherLayoutIsRefusedAndTheSameIsShared() throws Exception {
        try (Leasehold one = Leasehold.connect(POSTGRES.get().url() + "&leasehold.tables=lay_");
                Leasehold two = Leasehold.connect(POSTGRES.get().url() + "&leasehold.tables=lay_")) {
            new Contention(name, List.of(one, two)).take(5);
            try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                    Statement statement = admin.createStatement()) {
                statement.execute("UPDATE lay_layout SET layout = 2");
            }
            try (Leasehold late = Leasehold.connect(POSTGRES.get().url() + "&leasehold.tables=lay_")) {
                assertThatThrownBy(() -> late.lock(name).acquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("have layout 2")
                        .hasMessageContaining("Use a newer version of Leasehold");
            }
        }
    }
}
