package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * These tests show what a user needs who is no administrator: to read, insert and change is enough for registering; to
 * reset, one must be let delete. The error of each has the statements that the administrator then runs.
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
            assertThatThrownBy(() -> fence.createTable(new DataSourceOf(clerk)))
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("GRANT SELECT, INSERT, UPDATE ON");
            fence.createTable(new DataSourceOf(admin));
            try (Connection own = DriverManager.getConnection(clerk)) {
                own.setAutoCommit(false);
                obey(() -> fence.register(own, "a", 2), "denied", statement);
                own.rollback();
                fence.createTable(new DataSourceOf(clerk));
                fence.register(own, "a", 2);
                fence.registerShared(own, "a", 2);
                fence.registerShared(own, "b", 1);
                assertThatThrownBy(() -> fence.register(own, "a", 1)).isInstanceOf(StaleTokenException.class);
                own.commit();
                obey(() -> fence.reset(own, "a"), "denied", statement);
                own.rollback();
                fence.reset(own, "a");
                fence.register(own, "a", 1);
                own.commit();
            }
        }
    }

    /** Runs what the refusal says. */
    static void obey(ThrowingCallable refused, String why, Statement admin) throws SQLException {
        Throwable failure = catchThrowable(refused);
        assertThat(failure)
                .isInstanceOf(LockException.class)
                .hasMessageContaining(why)
                .hasMessageContaining("nothing was")
                .hasMessageContaining("\n\n");
        String message = String.valueOf(failure.getMessage());
        for (String each : message.substring(message.indexOf("\n\n")).split(";\\s*\\n")) {
            admin.execute(each);
        }
    }
}
