package dev.leasehold.jdbc.connection;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.LockException;
import dev.leasehold.internal.DaemonThreads;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An own pool is one that Leasehold makes for one client of a JDBC URL, with the first connection. Thread-safe. */
public final class OwnPool implements ConnectionSource {

    private static final Map<String, String> DRIVERS = Map.of(
            "postgresql", "org.postgresql:postgresql",
            "mariadb", "org.mariadb.jdbc:mariadb-java-client",
            "mysql", "com.mysql:mysql-connector-j",
            "h2", "com.h2database:h2");

    /**
     * Our connections are set to these: a limit to what a process holds up that is stopped in the middle of a transaction, and
     * one to how long a statement waits for a row, for whose answer nobody may wait any more. See also {@link
     * PostgresConnections}.
     */
    private static final Map<String, String> ON_CONNECT = Map.of(
            "mariadb",
            "SET SESSION idle_transaction_timeout = 5, innodb_lock_wait_timeout = 5",
            "mysql",
            "SET SESSION innodb_lock_wait_timeout = 5");

    /**
     * We ask this of a driver where the URL says nothing of it. MariaDB's keeps what the server has prepared, which then need
     * not parse it each time. MySQL's asks the server before each statement whether the connection is read-only, unless it
     * may believe that nobody sets that behind its back.
     */
    private static final Map<String, String> DRIVER_OPTIONS =
            Map.of("mariadb", "useServerPrepStmts", "mysql", "useLocalSessionState");

    private static final AtomicLong NUMBERS = new AtomicLong();

    /** This is also the shortest time for which the pool can be asked. */
    private static final long LEAST_MILLIS = 250;

    private static final long IDLE_MILLIS = 60_000;

    private final String url;
    private final @Nullable String password;
    private final int most;
    private final Duration databaseTimeout;
    private final ReentrantLock lock = new ReentrantLock();
    private final @Nullable ClassLoader ofCaller = Thread.currentThread().getContextClassLoader();
    private volatile @Nullable HikariDataSource pool;
    private volatile @Nullable PostgresConnections postgres;
    private boolean closed;

    /**
     * Connects to nothing yet.
     *
     * @param password null where the URL has it, or none is needed
     */
    public OwnPool(String url, @Nullable String password, int most, Duration databaseTimeout) {
        this.url = url;
        this.password = password;
        this.most = most;
        this.databaseTimeout = databaseTimeout;
    }

    /**
     * Waits for a connection that is being made, but not for one that is refused: the pool itself does not tell these apart, and
     * tries again until its time is up. So it is asked again and again for a short time.
     */
    @Override
    public Connection get() throws SQLException {
        HikariDataSource open = pool();
        long begun = System.nanoTime();
        while (true) {
            try {
                return open.getConnection();
            } catch (SQLTransientConnectionException e) {
                boolean over = System.nanoTime() - begun >= databaseTimeout.toNanos() || open.isClosed();
                if (over || !isStillConnecting(e)) {
                    throw e;
                }
            }
        }
    }

    /** The last failure to connect is the cause, where there was one; and then it has been tried. */
    private static boolean isStillConnecting(SQLException e) {
        return e.getCause() == null;
    }

    @Override
    public boolean hasOneReady() {
        HikariDataSource open = pool;
        return open != null && ReadyConnections.any(open);
    }

    @Override
    public Connection getReady(int poolTimeoutMillis) throws SQLException {
        return ReadyConnections.take(pool(), poolTimeoutMillis);
    }

    @Override
    public boolean limitsWaits() {
        PostgresConnections made = postgres;
        return made == null ? ON_CONNECT.containsKey(database()) : made.areSet();
    }

    @Override
    public boolean hasOneToSpare() {
        return true;
    }

    private HikariDataSource pool() throws SQLException {
        lock.lock();
        try {
            if (closed) {
                throw new SQLException("the pool is closed", "08003");
            }
            HikariDataSource current = pool;
            if (current == null) {
                DriverManager.setLoginTimeout(Math.max(DriverManager.getLoginTimeout(), loginSeconds()));
                current = new HikariDataSource(config(driver()));
                pool = current;
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns how long a driver may take to let us in, at the least. There is one limit for all users of drivers in this
     * process, which we never set below what somebody else has set.
     */
    private int loginSeconds() {
        return Math.toIntExact(databaseTimeout.plusMillis(999).toSeconds());
    }

    private Driver driver() {
        try {
            return DriverConnections.driver(url, OwnPool.class.getClassLoader(), ofCaller);
        } catch (SQLException e) {
            if (DriverConnections.REFUSED.equals(e.getMessage())) {
                throw new LockException("jdbc:" + kind() + ": " + DriverConnections.REFUSED);
            }
            String kind = kind();
            String driver = DRIVERS.get(kind);
            throw new LockException("no JDBC driver takes jdbc:" + kind + ": URLs; nothing was locked. Add "
                    + (driver == null ? "the database's driver" : "the dependency " + driver)
                    + " where Leasehold is, or where the context class loader of the thread finds it that connects");
        }
    }

    private String kind() {
        return url.split(":", 3)[1];
    }

    /** Returns the kind of the database, also where another driver stands before its own ({@code jdbc:p6spy:mariadb:}). */
    private String database() {
        return Stream.of(url.split(":", 4))
                .filter(DRIVERS::containsKey)
                .findFirst()
                .orElse("");
    }

    private HikariConfig config(Driver driver) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("leasehold-jdbc-" + NUMBERS.incrementAndGet());
        config.setMaximumPoolSize(most);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE_MILLIS);
        config.setConnectionTimeout(LEAST_MILLIS);
        config.setValidationTimeout(Math.max(LEAST_MILLIS, databaseTimeout.toMillis()));
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(true);
        config.setThreadFactory(DaemonThreads.named(config.getPoolName()));
        Properties settings = new Properties();
        if (password != null) {
            settings.setProperty("password", password);
        }
        if (database().equals("postgresql")) {
            // What the URL says comes before these. The driver limits by nothing else how long it waits to be let in.
            settings.setProperty("ApplicationName", "leasehold");
            settings.setProperty("socketTimeout", Integer.toString(loginSeconds()));
            postgres = new PostgresConnections(driver, url, settings, databaseTimeout);
            config.setDataSource(postgres);
            return config;
        }
        String option = DRIVER_OPTIONS.get(database());
        if (option != null && !url.contains(option)) {
            settings.setProperty(option, "true");
        }
        if (database().equals("h2") && !url.toUpperCase(Locale.ROOT).contains(";NETWORK_TIMEOUT=")) {
            settings.setProperty("NETWORK_TIMEOUT", Long.toString(databaseTimeout.toMillis()));
        }
        config.setDataSource(new DriverConnections(driver, url, settings));
        config.setJdbcUrl("jdbc:" + database() + ":"); // Has Hikari set time-outs of MySQL's on the same thread.
        config.setConnectionInitSql(ON_CONNECT.get(database()));
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return config;
    }

    @Override
    public void close() {
        HikariDataSource open;
        lock.lock();
        try {
            closed = true;
            open = pool;
        } finally {
            lock.unlock();
        }
        if (open != null) {
            open.close();
        }
    }
}
