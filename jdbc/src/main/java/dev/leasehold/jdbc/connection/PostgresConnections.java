package dev.leasehold.jdbc.connection;

import com.zaxxer.hikari.util.DriverDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Opens connections to PostgreSQL for our own pool, and sets their sessions as we need them, unless a pooler is in between: its
 * sessions are others' as well, who would keep our settings for good. A pooler makes up the number of the process that it
 * names to the driver, so that one statement can both look and set.
 */
final class PostgresConnections implements DataSource {

    /** Commits survive a crash, and a statement does not wait for a row for longer than anybody waits for its answer. */
    private static final String SETTINGS = "SELECT set_config('lock_timeout', ?, false),"
            + " set_config('default_transaction_isolation', 'read committed', false),"
            + " CASE WHEN current_setting('synchronous_commit') = 'off'"
            + " THEN set_config('synchronous_commit', 'on', false) END WHERE pg_backend_pid() = ?";

    private final DriverDataSource driver;
    private final Duration databaseTimeout;

    PostgresConnections(String url, @Nullable String password, Duration databaseTimeout) {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "leasehold"); // One in the URL comes before it.
        this.driver = new DriverDataSource(url, null, properties, null, password);
        this.databaseTimeout = databaseTimeout;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection opened = driver.getConnection();
        try {
            set(opened);
            return opened;
        } catch (SQLException | RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    private void set(Connection opened) throws SQLException {
        if (!opened.isWrapperFor(PGConnection.class)) {
            return; // A driver before PostgreSQL's, which does not say whom it is connected to.
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

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the URL has the user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return driver.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter to) throws SQLException {
        driver.setLogWriter(to);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        driver.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return driver.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return driver.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("it wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
