package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * These tests show what a user needs who is no administrator: to read, insert and change is enough for registering; to
 * reset, one must be let delete.
 *
 * @param admin where one may do everything
 * @param clerk where the user {@code clerk} logs in
 * @param setUp makes that user and the schema {@code money}, without any right to its tables
 */
record FenceRights(String admin, String clerk, List<String> setUp) {

    void check() throws SQLException {
        JdbcFence fence = JdbcFence.standard().withSchema("money").withTables("my_");
        try (Connection connection = DriverManager.getConnection(admin);
                Statement statement = connection.createStatement()) {
            for (String each : setUp) {
                statement.execute(each);
            }
            fence.createTable(new DataSourceOf(admin));
            try (Connection own = DriverManager.getConnection(clerk)) {
                own.setAutoCommit(false);
                assertThatThrownBy(() -> fence.register(own, "a", 2))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("denied");
                own.rollback();
                statement.execute("GRANT SELECT, INSERT, UPDATE ON money.my_fence TO clerk");
                fence.createTable(new DataSourceOf(clerk));
                fence.register(own, "a", 2);
                fence.registerShared(own, "a", 2);
                fence.registerShared(own, "b", 1);
                assertThatThrownBy(() -> fence.register(own, "a", 1)).isInstanceOf(StaleTokenException.class);
                own.commit();
                assertThatThrownBy(() -> fence.reset(own, "a")).hasMessageContaining("denied");
                own.rollback();
                statement.execute("GRANT DELETE ON money.my_fence TO clerk");
                fence.reset(own, "a");
                fence.register(own, "a", 1);
                own.commit();
            }
        }
    }
}
