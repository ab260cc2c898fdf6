package dev.leasehold.benchmarks.peer;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** SqlTables creates the tables that a library expects its users to create. */
final class SqlTables {

    private SqlTables() {}

    static void create(DataSource source, String ddl) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            try {
                statement.execute(ddl);
            } catch (SQLException e) {
                // Two processes create it at once. If neither did, the first lock fails.
            }
        }
    }
}
