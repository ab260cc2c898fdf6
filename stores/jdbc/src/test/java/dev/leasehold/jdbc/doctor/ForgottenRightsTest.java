package dev.leasehold.jdbc.doctor;

import static dev.leasehold.testtools.Findings.codes;
import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Findings;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The doctor names the {@code GRANT}s that a user lacks, and the right to make the tables. */
@Tag("slow")
class ForgottenRightsTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private static void use(String url) throws Exception {
        try (Leasehold client = Leasehold.connect(url)) {
            client.lock("used").acquire().close();
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

    /** They were examined not at all, and called right, before. */
    @Test
    void noRightsAtAllAreExaminedAndGranted() throws Exception {
        use(POSTGRES.get().url() + "&leasehold.tables=closed_");
        admin(POSTGRES.get().url(), "CREATE ROLE nobody LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        String nobody = POSTGRES.get().url().replace("user=postgres", "user=nobody") + "&leasehold.tables=";
        Examination closed = Findings.examine(nobody + "closed_");
        assertThat(the("database-rights-missing", closed).remedy())
                .contains("GRANT SELECT ON \"closed_layout\" TO \"nobody\";");
        assertThat(codes(closed, Severity.FINE)).contains("database-commits");
        Finding none = the("database-no-tables", Findings.examine(nobody + "unmade_"));
        assertThat(none.severity()).isEqualTo(Severity.SERIOUS);
        assertThat(none.remedy()).contains("GRANT SELECT, INSERT, UPDATE, DELETE ON \"unmade_lock\" TO \"nobody\";");
    }

    @Test
    void noRightsOnMariaDbAreExaminedAndGranted() throws Exception {
        use(MARIADB.get().url() + "&leasehold.tables=closed_");
        admin(
                MARIADB.get().url(),
                "CREATE TABLE other (a INT)",
                "CREATE USER nobody",
                "GRANT SELECT ON test.other TO nobody");
        String nobody = MARIADB.get().url().replace("user=root", "user=nobody") + "&leasehold.tables=";
        assertThat(the("database-rights-missing", Findings.examine(nobody + "closed_"))
                        .remedy())
                .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON `closed_waiter` TO `nobody`@`%`;");
        admin(MARIADB.get().url(), "GRANT SELECT ON test.* TO nobody"); // Before, it does not say what is not there.
        Finding none = the("database-no-tables", Findings.examine(nobody + "unmade_"));
        assertThat(none.severity()).isEqualTo(Severity.SERIOUS);
    }

    @Test
    void oneTableThatIsGoneIsNamed() throws Exception {
        String url = POSTGRES.get().url() + "&leasehold.tables=torn_";
        use(url);
        admin(POSTGRES.get().url(), "DROP TABLE torn_holder");
        assertThat(the("database-no-tables", Findings.examine(url)).severity()).isEqualTo(Severity.SERIOUS);
        try (Leasehold client = Leasehold.connect(url + "&leasehold.initializeSchema=never")) {
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .hasMessageContaining("misses the table")
                    .hasMessageContaining("CREATE TABLE IF NOT EXISTS \"public\".\"torn_holder\"");
        }
        use(url);
        assertThat(codes(Findings.examine(url), Severity.SERIOUS)).isEmpty();
    }
}
