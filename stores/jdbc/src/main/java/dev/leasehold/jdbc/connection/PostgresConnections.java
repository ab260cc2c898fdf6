package dev.leasehold.jdbc.connection;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import org.postgresql.PGConnection;

/**
 * Opens connections to PostgreSQL for our own pool, and sets their sessions as we need them, unless a pooler is in between: its
 * sessions are others' as well, who would keep our settings for good. A pooler makes up the number of the process that it
 * names to the driver, so that one statement can both look and set.
 */
final class PostgresConnections extends DriverConnections {

    /** Commits survive a crash, and a statement does not wait for a row for longer than anybody waits for its answer. */
    private static final String SETTINGS = "SELECT set_config('lock_timeout', ?, false),"
            + " set_config('default_transaction_isolation', 'read committed', false),"
            + " CASE WHEN current_setting('synchronous_commit') = 'off'"
            + " THEN set_config('synchronous_commit', 'on', false) END WHERE pg_backend_pid() = ?";

    private final Duration databaseTimeout;
    private volatile boolean unknown;

    PostgresConnections(Driver driver, String url, Properties settings, Duration databaseTimeout) {
        super(driver, url, settings);
        this.databaseTimeout = databaseTimeout;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection opened = super.getConnection();
        try {
            set(opened);
            return opened;
        } catch (SQLException | RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    /** Returns whether all sessions that are the driver's own were set, as far as is known. */
    boolean areSet() {
        return !unknown;
    }

    private void set(Connection opened) throws SQLException {
        if (!isUsualDrivers(opened)) {
            unknown = true; // Another driver does not say whom it is connected to.
            return;
        }
        int before = opened.getNetworkTimeout();
        opened.setNetworkTimeout(Runnable::run, Math.toIntExact(databaseTimeout.toMillis()));
        try (PreparedStatement settings = opened.prepareStatement(SETTINGS)) {
            settings.setString(1, Long.toString(Math.max(1, databaseTimeout.toMillis() / 10 * 8)));
            settings.setInt(2, opened.unwrap(PGConnection.class).getBackendPID());
            settings.execute();
        }
        opened.setNetworkTimeout(Runnable::run, before);
    }

    private static boolean isUsualDrivers(Connection opened) throws SQLException {
        try {
            return opened.isWrapperFor(PGConnection.class);
        } catch (NoClassDefFoundError e) {
            return false;
        }
    }
}
