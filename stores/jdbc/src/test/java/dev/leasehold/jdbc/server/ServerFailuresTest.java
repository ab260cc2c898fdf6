package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests show that a caller concludes from a failure what the database meant. */
@Tag("slow")
class ServerFailuresTest {

    private static LockException unreachable(SQLException why) {
        SQLException pool = new SQLTransientConnectionException("the pool had none to lend", why.getSQLState(), why);
        return ServerFailures.unreachable(pool, "jdbc:test", Outcome.NOT_CARRIED_OUT);
    }

    /** Seen with MariaDB's driver behind a connection that was cut in silence. */
    @Test
    void aPooledConnectionThatWasClosedMeanwhileIsNoRefusal() {
        assertThat(unreachable(new SQLException("setNetworkTimeout on a closed connection", "42000", -1)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("cannot be reached");
    }

    @Test
    void aUserWithoutRightsIsRefused() {
        assertThat(unreachable(new SQLException("access denied to the database", "42000", 1044)))
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("refused");
        assertThat(unreachable(new SQLException("permission denied", "42501", 0)))
                .isNotInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("refused");
    }

    /** MySQL's driver says of every failure to connect that the link failed, and nothing else. */
    @Test
    void theCauseBelowADriversFailureIsSaid() {
        SQLException failed =
                new SQLException("the link failed", "08S01", new SocketTimeoutException("Read timed out"));
        assertThat(unreachable(failed)).hasMessageContaining("the link failed (Read timed out)");
    }
}
