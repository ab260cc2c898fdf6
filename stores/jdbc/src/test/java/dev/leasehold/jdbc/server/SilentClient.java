package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.PooledConnection;
import java.sql.SQLException;

/** A silent client wants its listener to go on, sends it nothing, and does nothing with what it hears. */
interface SilentClient extends PostgresListener.Client {

    @Override
    PooledConnection connect() throws SQLException;

    @Override
    default void notifySelf(String channel, String payload) {}

    @Override
    default void granted() {}

    @Override
    default void broken(String lock) {}

    @Override
    default void told(boolean comesThrough) {}

    @Override
    default boolean isIdle() {
        return false;
    }

    @Override
    default boolean isStarved() {
        return false;
    }
}
