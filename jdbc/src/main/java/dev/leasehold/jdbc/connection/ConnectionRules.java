package dev.leasehold.jdbc.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Connection rules are those of one database and driver for its connections. */
public interface ConnectionRules {

    /**
     * Has the server end a statement, if it waits for a row of somebody else's for so long; for connections that are not told
     * so once and for all.
     */
    default void limit(PreparedStatement statement, int millis) throws SQLException {}

    /**
     * Sets after how many executions the driver has the server keep a statement under a name; zero for never.
     *
     * @return what it was before
     */
    default int prepareThreshold(Connection connection, int executions) throws SQLException {
        return executions;
    }
}
