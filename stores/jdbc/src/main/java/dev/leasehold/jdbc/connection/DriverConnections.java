package dev.leasehold.jdbc.connection;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens the connections of our own pool by one driver, and touches no other: {@code DriverManager} loads all that it finds,
 * among them MySQL's with its thread for ever, and does not see one in the class loader of a web application.
 */
class DriverConnections implements DataSource {

    private static final Map<String, String> DRIVERS = Map.of(
            "postgresql", "org.postgresql.Driver",
            "mariadb", "org.mariadb.jdbc.Driver",
            "mysql", "com.mysql.cj.jdbc.Driver",
            "h2", "org.h2.Driver");

    /** A driver's message would have the URL in it, and with it the password. */
    static final String REFUSED =
            "the driver does not take this URL; nothing was locked. It has perhaps a part USER:PASSWORD@,"
                    + " or a character that has to be encoded (/ is %2F, @ is %40): write ?user=USER, and pass the password apart,"
                    + " with --store-password-file or Map.of(\"password\", …)";

    private final Driver driver;
    private final String url;
    private final Properties settings;

    DriverConnections(Driver driver, String url, Properties settings) {
        this.driver = driver;
        this.url = url;
        this.settings = settings;
    }

    /**
     * Finds the driver that takes a URL, by its class where that is known.
     *
     * @param loaders where to look for it
     * @throws SQLException if there is none
     */
    static Driver driver(String url, @Nullable ClassLoader... loaders) throws SQLException {
        String name = DRIVERS.get(url.split(":", 3)[1]);
        Driver refuses = null;
        for (ClassLoader loader : loaders) {
            Driver known = name == null ? null : load(name, loader);
            if (known != null && known.acceptsURL(url)) {
                return known;
            }
            refuses = known != null ? known : refuses;
        }
        try {
            return DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw refuses == null ? e : new SQLException(REFUSED, e);
        }
    }

    private static @Nullable Driver load(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Properties copy = new Properties();
        copy.putAll(settings);
        Connection opened;
        try {
            opened = driver.connect(url, copy);
        } catch (SQLException e) {
            throw ShownPasswords.hidden(e, url);
        }
        if (opened == null) {
            throw new SQLException("the driver " + driver.getClass().getName() + " does not take the URL", "08001");
        }
        return opened;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the URL has the user");
    }

    /** A pool asks for the time for which it is asked itself, which is short here: see {@link OwnPool}. */
    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return DriverManager.getLoginTimeout();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter to) {}

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
