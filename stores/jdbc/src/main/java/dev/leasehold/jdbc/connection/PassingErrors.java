package dev.leasehold.jdbc.connection;

import java.sql.SQLException;
import java.util.Set;

/**
 * Passing errors are refusals for the state that a database is in, and not for what was asked: the same may be asked again.
 * What was asked is certainly undone, but for a few. What is in none of these tables, and leaves nothing unknown, is refused
 * for good.
 *
 * <p>Sources: appendix A of PostgreSQL's manual; {@code errmsg-utf8.txt} of MariaDB and the list of server errors in
 * MySQL's manual, whose numbers agree where both have one; {@code org.h2.api.ErrorCode}.
 */
public final class PassingErrors {

    /** PostgreSQL, by class: resources (53: disk full, out of memory, too many connections). */
    private static final String RESOURCES = "53";

    /** PostgreSQL: an error of the disk. */
    private static final String IO_ERROR = "58030";

    /** PostgreSQL, and MariaDB and MySQL for one of theirs: a read-only transaction, as all are on a replica. */
    private static final String READ_ONLY_TRANSACTION = "25006";

    /**
     * MariaDB and MySQL: a disk or table that is full (1021, 1026, 1030, 1114), memory (1037, 1038, 1041), threads and
     * connections (1040, 1135, 1203), a user's allowance (1226), the lock table (1206), undo logs (1637), "temporary" (1297), a
     * statement that was ended by somebody, or took too long (1317, 1969, 3024), a table that was altered (1412). H2: the
     * disk (90031, 90100), memory (90108), a statement that was ended (57014).
     */
    private static final Set<Integer> PASSING = Set.of(
            1021, 1026, 1030, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1206, 1226, 1297, 1317, 1412, 1637, 1969, 3024,
            57014, 90031, 90100, 90108);

    /**
     * What writes to the disk may fail when the commit of a single statement has been carried out: MariaDB's and MySQL's write
     * and storage engine (1026, 1030), H2's disk and memory.
     */
    private static final Set<Integer> PERHAPS_DONE = Set.of(1026, 1030, 90031, 90100, 90108);

    /** MariaDB and MySQL: {@code read_only} and its relatives, a table that was opened read-only. H2: a database that was. */
    private static final Set<Integer> READ_ONLY = Set.of(1036, 1290, 1792, 1836, 90097);

    private PassingErrors() {}

    public static boolean passes(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith(RESOURCES)
                || state.equals(IO_ERROR)
                || PASSING.contains(e.getErrorCode())
                || isReadOnly(e);
    }

    /** Returns whether a statement that was its own transaction may have been carried out all the same. */
    public static boolean mayBeDone(SQLException e) {
        return PERHAPS_DONE.contains(e.getErrorCode());
    }

    /** Returns whether the server at the other end may not write: a replica, or what was the primary. */
    public static boolean isReadOnly(SQLException e) {
        return READ_ONLY_TRANSACTION.equals(e.getSQLState()) || READ_ONLY.contains(e.getErrorCode());
    }
}
