package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** The connection to the ensemble, as Curator keeps it. */
interface CuratorConnection {

    /** Hears what becomes of the connection. Called from any thread. */
    interface Events {

        /**
         * There is a connection, perhaps a new session.
         *
         * @param handle the session's handle
         */
        void connected(ZooKeeper handle);

        /** The connection is gone; the session may live on. */
        void suspended();

        /** The session is over, or has to be taken for that. */
        void lost();

        /** The servers refuse us. */
        void refused();
    }

    void start(Events events);

    /** Whether the session ends with {@link #close()}. */
    boolean isOwn();

    /**
     * When the attempt began that made the present connection of a handle: the leader has heard of its session since.
     *
     * @return null where that cannot be known
     */
    @Nullable ClockReading connectedSince(ZooKeeper handle);

    void close();
}
