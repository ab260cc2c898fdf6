package dev.leasehold.jdbc.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Connection rules are those of one database and driver for its connections. */
public interface ConnectionRules {

    /**
     * Has the server end a statement, if it waits for a row of somebody else's for so long; for connections that are not told
     * so once and for all.
     */
    default void limit(PreparedStatement statement, int millis) throws SQLException {}

    /**
     * Takes note of what the server has said beside a success; throws where it may not last.
     *
     * @throws SQLException with the state {@link Sql#COMPLETION_UNKNOWN}
     */
    default void heed(Statement answered) throws SQLException {}

    /** Commits, with the same look at the answer. */
    default void commit(Connection connection) throws SQLException {
        connection.commit();
    }

    /**
     * Sets after how many executions the driver has the server keep a statement under a name; zero for never.
     *
     * @return what it was before
     */
    default int prepareThreshold(Connection connection, int executions) throws SQLException {
        return executions;
    }
}
