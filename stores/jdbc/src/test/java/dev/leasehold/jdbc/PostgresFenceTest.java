package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class PostgresFenceTest extends FenceContract {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private boolean onlyReadCommitted;

    @Override
    public String url() {
        return POSTGRES.get().url();
    }

    @Override
    public JdbcFence fence() {
        return JdbcFence.standard().withSchema("public");
    }

    @Override
    List<Integer> levels() {
        return onlyReadCommitted ? List.of(Connection.TRANSACTION_READ_COMMITTED) : super.levels();
    }

    @Test
    @DisplayName("at READ COMMITTED no transaction fails for a simultaneous registration")
    void simultaneousRegistrationsFailNoTransaction() throws Exception {
        onlyReadCommitted = true;
        long before = errors();
        firstRegistrationsAtOnceAreOneAfterTheOther();
        nothingThatWasCommittedIsLostAmongManyHolders();
        assertThat(errors()).isEqualTo(before);
    }

    @Test
    @DisplayName("Reading, inserting and changing is enough; resetting takes deleting")
    void onlyResettingTakesTheRightToDelete() throws Exception {
        String clerk = url().replace("user=postgres", "user=clerk");
        new FenceRights(
                        url(),
                        clerk,
                        List.of(
                                "CREATE SCHEMA money",
                                "CREATE ROLE clerk LOGIN",
                                "GRANT USAGE ON SCHEMA money TO clerk"))
                .check();
    }

    @Test
    void whoMakesTheMissingTableIsToldToGrantIt() throws Exception {
        JdbcFence fence = JdbcFence.standard().withSchema("gold");
        try (Connection admin = DriverManager.getConnection(url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE SCHEMA gold");
            statement.execute("CREATE ROLE \"gold digger\" LOGIN");
            statement.execute("GRANT USAGE ON SCHEMA gold TO \"gold digger\"");
            String digger = url().replace("user=postgres", "user=gold%20digger");
            try (Connection own = DriverManager.getConnection(digger)) {
                own.setAutoCommit(false);
                FenceRights.obey(() -> fence.register(own, "a", 1), "is missing", statement);
                own.rollback();
                fence.register(own, "a", 1);
                own.commit();
            }
        }
    }

    @Test
    @DisplayName("The server's log has no error for a first registration nor for a refusal")
    void theServersLogHasNoErrors() throws Exception {
        long before = errors();
        anOlderTokenIsRefusedWithBoth();
        fence().withTables("quiet_").createTable(dataSource());
        assertThat(errors()).isEqualTo(before);
    }

    private static long errors() {
        return POSTGRES.get()
                .log()
                .lines()
                .filter(line -> line.contains("ERROR:"))
                .count();
    }
}
