package dev.leasehold.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PooledConnectionTest {

    /** A resource is closed before the exception that ended its block is caught. */
    @Test
    @DisplayName("Giving a connection back does not commit a half-failed transaction")
    void halfOfAFailureIsNotCommittedByGivingBack() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:half-way;DB_CLOSE_DELAY=-1");
            try (ConnectionSource source = ConnectionSource.of(pool)) {
                try (PooledConnection borrowed = PooledConnection.from(source, 1_000)) {
                    borrowed.sql().run("CREATE TABLE done (what int)");
                }
                try (PooledConnection borrowed = PooledConnection.from(source, 1_000)) {
                    borrowed.autoCommit(false);
                    borrowed.sql().run("INSERT INTO done VALUES (1)");
                    borrowed.connection().commit();
                    borrowed.sql().run("INSERT INTO done VALUES (2)");
                }
                try (PooledConnection borrowed = PooledConnection.from(source, 1_000)) {
                    assertThat(borrowed.connection().getAutoCommit()).isTrue();
                    assertThat(borrowed.sql().number("SELECT SUM(what) FROM done"))
                            .isEqualTo(1);
                }
            }
        }
    }
}
