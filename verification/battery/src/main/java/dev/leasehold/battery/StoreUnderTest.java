package dev.leasehold.battery;

import dev.leasehold.testtools.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A store under test is a running store, with its servers and the ways that clients take to them. Its servers are
 * numbered from 0.
 */
interface StoreUnderTest extends AutoCloseable {

    /** A way is the road of one client to all servers: its URI, and the proxies in between, none for a file. */
    record Way(String uri, List<FaultProxy> proxies) {
        void close() {
            proxies.forEach(FaultProxy::close);
        }
    }

    /** Returns a new way for a client. */
    Way way();

    /** Returns the URI without proxies. */
    String uri();

    int servers();

    /** Returns the version of the servers. */
    String version() throws Exception;

    /** Sends a signal to a server, as {@code kill} names it. */
    void signal(int server, String signal) throws Exception;

    void kill(int server) throws Exception;

    /** Starts a killed server again. */
    void restart(int server, boolean withData) throws Exception;

    /** Waits until all servers that were started again serve. */
    default void awaitServing() throws Exception {}

    /** Deletes a server's data while it runs. */
    void flush(int server) throws Exception;

    /** Sets a server's wall clock forward, or back. Only in a run with such a fault. */
    default void moveClock(int server, Duration by) throws Exception {
        throw new UnsupportedOperationException("this store's clocks cannot be set");
    }

    /** Returns which server leads the others, and waits for a while until one does. */
    default int leader() throws Exception {
        throw new UnsupportedOperationException("none of this store's servers leads the others");
    }

    /** Ends the connections of all clients, or of some. */
    default void killSessions(int server) throws Exception {
        throw new UnsupportedOperationException("this store ends no connections");
    }

    /** Begins to move what belongs to a lock to another server, and moves some of it. */
    default void beginMoving(String lock, Random random) throws Exception {
        throw new UnsupportedOperationException("this store moves nothing");
    }

    /** Moves the rest of it, and lets the other server have the lock from then on. */
    default void endMoving(String lock) throws Exception {
        throw new UnsupportedOperationException("this store moves nothing");
    }

    /**
     * Returns what the servers have at the moment: connections, keys, rows, nodes, watchers. Their order is that of the map.
     */
    Map<String, Long> gauges() throws Exception;

    /** Returns how many later requests may be served before a waiter, where nothing is the matter; see {@link Terms}. */
    int overtaking();

    @Override
    void close() throws Exception;
}
