package dev.leasehold.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * A wrapper driver stands before another one, as those of {@code jdbc:p6spy:} and {@code jdbc:aws-wrapper:} do, until it is
 * closed. It takes its name out of the URL.
 *
 * @param hides whether its connections do not say what they wrap
 */
public record WrapperDriver(boolean hides) implements Driver, AutoCloseable {

    private static final String WRAPPER = "jdbc:wrapper:";

    /** Registers one. */
    public static WrapperDriver register(boolean hides) throws SQLException {
        WrapperDriver driver = new WrapperDriver(hides);
        DriverManager.registerDriver(driver);
        return driver;
    }

    /** Returns the URL of the same database by way of this driver. */
    public static String url(String url) {
        return WRAPPER + url.substring("jdbc:".length());
    }

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Connection real = DriverManager.getConnection("jdbc:" + url.substring(WRAPPER.length()), info);
        Class<?>[] types = {Connection.class};
        return (Connection) Proxy.newProxyInstance(
                WrapperDriver.class.getClassLoader(), types, (self, method, values) -> {
                    if (hides && method.getName().equals("isWrapperFor")) {
                        return false;
                    }
                    if (hides && method.getName().equals("unwrap")) {
                        throw new SQLException("it wraps nothing that it would name");
                    }
                    try {
                        return method.invoke(real, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(WRAPPER);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
    }
}
