package dev.leasehold.benchmarks;

import java.util.List;

/** A way to lock in Redis. Used by one thread at a time. */
interface Peer extends AutoCloseable {

    String name();

    /** Acquires the lock, waiting as long as it takes. */
    void acquire() throws Exception;

    /** Releases it, and waits until the server has said that it did. */
    void release() throws Exception;

    @Override
    void close() throws Exception;

    /** Makes a peer for one lock, with its own connections. */
    interface Maker {
        Peer make(String redisUri, String lock);
    }

    /** All of them; the first is the bare one that the others are compared with. */
    List<Maker> ALL =
            List.of(BareLettuce::new, LeaseholdPeer::new, ShedLockPeer::new, SpringPeer::spinning, RedissonPeer::new);
}
