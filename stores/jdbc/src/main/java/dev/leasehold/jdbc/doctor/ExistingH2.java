package dev.leasehold.jdbc.doctor;

import java.sql.SQLException;
import java.util.Locale;

/** An existing H2 is a database in a file that an examination opens if it is there. H2 makes what it does not find. */
public final class ExistingH2 {

    private static final int NOT_FOUND = 90146;

    private ExistingH2() {}

    /** Returns the URL that opens the same database, if it exists; of another kind of database or in memory, the URL itself. */
    public static String url(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        return lower.startsWith("jdbc:h2:") && !lower.startsWith("jdbc:h2:mem:") && !lower.contains(";ifexists=")
                ? url + ";IFEXISTS=TRUE"
                : url;
    }

    /** Returns whether a connection was refused since there is no such database. */
    static boolean isMissing(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException because && because.getErrorCode() == NOT_FOUND) {
                return true;
            }
        }
        return false;
    }
}
