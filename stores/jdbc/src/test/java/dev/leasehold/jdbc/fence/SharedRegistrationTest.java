package dev.leasehold.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.jdbc.EventfulConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about a reset between a reader's look at the newest token and its lock of the row. */
@Tag("slow")
class SharedRegistrationTest {

    private static final String ROW = "SELECT token, exclusive FROM reset_fence WHERE resource = ?";

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    /** A registration is how a reader registers. */
    private interface Registration {
        long in(Sql sql, String table, Object resource, long token) throws SQLException;
    }

    @Test
    @DisplayName("A reader that is newer than a reset is not forgotten on PostgreSQL")
    void aReaderNewerThanAResetIsKnownToPostgres() throws Exception {
        aReaderThatIsNewerThanAResetIsNotForgotten(
                POSTGRES.get().url(), ROW + " FOR SHARE", SharedRegistration::raisingFirst);
    }

    @Test
    @DisplayName("A reader that is newer than a reset is not forgotten on MariaDB")
    void aReaderNewerThanAResetIsKnownToMariaDb() throws Exception {
        aReaderThatIsNewerThanAResetIsNotForgotten(
                MARIADB.get().url(), ROW + " LOCK IN SHARE MODE", SharedRegistration::lookingFirst);
    }

    /** It would read on while its token is nowhere, and a writer with an older one would be let in. */
    private static void aReaderThatIsNewerThanAResetIsNotForgotten(
            String url, String locking, Registration registration) throws Exception {
        Map<String, EventfulConnection.Event> before = new HashMap<>();
        try (Connection other = DriverManager.getConnection(url);
                Connection own = DriverManager.getConnection(url);
                Sql sql = new Sql(EventfulConnection.of(own, before))) {
            change(
                    other,
                    "CREATE TABLE reset_fence (resource varchar(20) PRIMARY KEY, token bigint, exclusive bigint)");
            change(other, "INSERT INTO reset_fence VALUES ('r', 10, 4)");
            own.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            own.setAutoCommit(false);
            before.put(locking, () -> change(other, "UPDATE reset_fence SET token = 3, exclusive = 3"));
            assertThatThrownBy(() -> registration.in(sql, "reset_fence", "r", 5))
                    .isInstanceOf(SQLTransactionRollbackException.class);
            assertThat(before).as("the reset happened").isEmpty();
            own.rollback();
        }
    }

    private static void change(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }
}
