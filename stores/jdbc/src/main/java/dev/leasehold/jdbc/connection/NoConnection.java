package dev.leasehold.jdbc.connection;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool has had no connection to lend, because all that it may have were in use. The database may be well. */
public final class NoConnection extends SQLException {

    private static final long serialVersionUID = 1L;

    /** HikariCP's message has this form, also where its pool is behind something of another kind. */
    private static final Pattern HIKARI =
            Pattern.compile("(\\S.*) - Connection is not available.*" + "\\(total=([1-9]\\d*), active=\\2, .*");

    public NoConnection(String reason, @Nullable Throwable cause) {
        super(reason, "08001", cause);
    }

    /** Returns how a pool says that it is exhausted; null if it says something else. */
    public static @Nullable String reason(SQLException e) {
        Matcher said = HIKARI.matcher(String.valueOf(e.getMessage()));
        return said.matches() ? reason(said.group(2), said.group(1)) : null;
    }

    /** Returns whether a pool is exhausted just now, where that can be seen; null otherwise. */
    static @Nullable String reason(DataSource source) {
        HikariPoolMXBean pool = source instanceof HikariDataSource known ? known.getHikariPoolMXBean() : null;
        return pool != null
                        && source instanceof HikariDataSource known
                        && pool.getActiveConnections() >= known.getMaximumPoolSize()
                ? reason(Integer.toString(pool.getActiveConnections()), known.getPoolName())
                : null;
    }

    private static String reason(String size, String pool) {
        return "all " + size + " connections of the pool " + pool + " are in use";
    }
}
