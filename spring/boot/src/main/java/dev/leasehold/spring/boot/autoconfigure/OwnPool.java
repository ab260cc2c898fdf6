package dev.leasehold.spring.boot.autoconfigure;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

/**
 * An own pool is a small pool of connections for locks alone, made like the application's. If the application's transactions
 * have taken all connections of theirs, leases are still renewed; and a transaction that waits for a lock cannot wait for
 * itself.
 */
record OwnPool(HikariDataSource dataSource) {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");
    private static final long IDLE_MILLIS = 60_000;

    /** Beside those that are used at a time: one to listen on, one that a session's locks are held by. */
    private static final int KEPT = 2;

    /** Returns null if the data source is no Hikari pool. */
    static @Nullable OwnPool like(DataSource application, LeaseholdProperties.Jdbc jdbc) {
        HikariDataSource hikari = DataSourceUnwrapper.unwrap(
                application, com.zaxxer.hikari.HikariConfigMXBean.class, HikariDataSource.class);
        if (hikari == null) {
            LOG.log(
                    Level.INFO,
                    "locks share the connections of {0}, which is no Hikari pool: transactions that use all of them keep"
                            + " leases from being renewed",
                    application.getClass().getName());
            return null;
        }
        HikariConfig config = new HikariConfig();
        hikari.copyStateTo(config);
        if (config.getCredentialsProvider() == null) {
            // The copy would stay as it is when the application's are changed.
            config.setCredentialsProvider(hikari::getCredentials);
        }
        config.setPoolName("leasehold");
        String url = config.getJdbcUrl();
        // The properties are the application's own object: what is put there gets into its connections.
        if (url != null
                && url.startsWith("jdbc:postgresql:")
                && !url.contains("ApplicationName=")
                && !config.getDataSourceProperties().containsKey("ApplicationName")) {
            config.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + "ApplicationName=leasehold");
        }
        config.setMetricsTrackerFactory(null);
        config.setMetricRegistry(null);
        config.setHealthCheckRegistry(null);
        config.setMaximumPoolSize(jdbc.connections() + KEPT);
        config.setMinimumIdle(1);
        config.setIdleTimeout(IDLE_MILLIS);
        config.setAutoCommit(true);
        config.setReadOnly(false);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setInitializationFailTimeout(-1);
        return new OwnPool(new HikariDataSource(config));
    }

    void close() {
        dataSource.close();
    }
}
