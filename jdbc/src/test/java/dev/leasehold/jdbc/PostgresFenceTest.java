package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StaleTokenException;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgresFenceTest extends FenceContract {

    private static PostgresServer postgres;

    private boolean onlyReadCommitted;

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @Override
    String url() {
        return postgres.url();
    }

    @Override
    JdbcFence fence() {
        return JdbcFence.standard().withSchema("public");
    }

    @Override
    List<Integer> levels() {
        return onlyReadCommitted ? List.of(Connection.TRANSACTION_READ_COMMITTED) : super.levels();
    }

    @Test
    void atReadCommittedNobodysTransactionFailsForASimultaneousRegistration() throws Exception {
        onlyReadCommitted = true;
        long before = errors();
        severalThatRegisterForTheFirstTimeAtOnceAreOneAfterTheOther();
        nothingThatWasCommittedIsLostAmongManyHolders();
        assertThat(errors()).isEqualTo(before);
    }

    @Test
    void readingInsertingAndChangingIsEnoughAndResettingTakesDeleting() throws Exception {
        try (Connection admin = DriverManager.getConnection(url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE SCHEMA money");
            statement.execute("CREATE ROLE clerk LOGIN");
            statement.execute("GRANT USAGE ON SCHEMA money TO clerk");
            JdbcFence fence = JdbcFence.standard().withSchema("money").withTables("my_");
            fence.createTable(dataSource());
            String url = postgres.url().replace("user=postgres", "user=clerk");
            try (Connection clerk = DriverManager.getConnection(url)) {
                clerk.setAutoCommit(false);
                assertThatThrownBy(() -> fence.register(clerk, "a", 2))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("permission denied");
                clerk.rollback();
                statement.execute("GRANT SELECT, INSERT, UPDATE ON money.my_fence TO clerk");
                fence.createTable(new DataSourceOf(url));
                fence.register(clerk, "a", 2);
                assertThatThrownBy(() -> fence.register(clerk, "a", 1)).isInstanceOf(StaleTokenException.class);
                clerk.commit();
                assertThatThrownBy(() -> fence.reset(clerk, "a")).hasMessageContaining("permission denied");
                clerk.rollback();
                statement.execute("GRANT DELETE ON money.my_fence TO clerk");
                fence.reset(clerk, "a");
                fence.register(clerk, "a", 1);
                clerk.commit();
            }
        }
    }

    @Test
    void theServersLogHasNoErrorForAFirstRegistrationNorForARefusal() throws Exception {
        long before = errors();
        anOlderTokenIsRefusedWithBoth();
        fence().withTables("quiet_").createTable(dataSource());
        assertThat(errors()).isEqualTo(before);
    }

    private static long errors() {
        return postgres.log().lines().filter(line -> line.contains("ERROR:")).count();
    }
}
