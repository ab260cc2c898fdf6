package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** A Curator connection is the connection to the ensemble, as Curator keeps it. */
interface CuratorConnection {

    /** Events tell what becomes of the connection. Called from any thread. */
    interface Events {

        /**
         * Called when there is a connection, perhaps with a new session.
         *
         * @param handle the session's handle
         */
        void connected(ZooKeeper handle);

        /** Called when the connection is gone; the session may live on. */
        void suspended();

        /** Called when the session is over, or has to be taken for that. */
        void lost();

        /** Called when the servers refuse us. */
        void refused();
    }

    void start(Events events);

    /** Returns whether the session ends with {@link #close()}. */
    boolean isOwn();

    /**
     * Returns when the attempt began that made the present connection of a handle: the leader has heard of its session
     * since.
     *
     * @return null where that cannot be known
     */
    @Nullable ClockReading connectedSince(ZooKeeper handle);

    void close();
}
