package dev.leasehold.zookeeper;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A session is one with the ensemble. It is bound to one handle, and so are its requests: an answer is never taken for
 * one of another session. Its nodes and watches end with it; a new session adopts nothing.
 */
final class Session {

    final ZooKeeper handle;
    final long id;
    final SessionProof proof;
    final PathWatches watches;
    private final TimeSource time;
    private long serverMillis;
    private long serverMillisAt;

    Session(ZooKeeper handle, TimeSource time, SerialExecutor serial) {
        this.handle = handle;
        this.id = handle.getSessionId();
        this.time = time;
        this.watches = new PathWatches(serial);
        this.proof = new SessionProof(Duration.ofMillis(handle.getSessionTimeout()));
    }

    /** Creates an ephemeral sequential node. The callback may run on any thread, and must not wait. */
    void createInQueue(String path, byte[] data, List<ACL> access, AsyncCallback.Create2Callback done) {
        if (handle instanceof EarlyReplyZooKeeper own) {
            own.createInQueue(path, data, access, done);
        } else {
            handle.create(path, data, access, CreateMode.EPHEMERAL_SEQUENTIAL, done, null);
        }
    }

    /** Deletes a node. The callback may run on any thread, and must not wait. */
    void delete(String path, AsyncCallback.VoidCallback done) {
        if (handle instanceof EarlyReplyZooKeeper own) {
            own.delete(path, done);
        } else {
            handle.delete(path, -1, done, null);
        }
    }

    Duration timeout() {
        return proof.timeout();
    }

    /** Notes that a write was answered. */
    void written(ClockReading sentAt, @Nullable Long leaderMillis) {
        proof.written(sentAt, time.now());
        if (leaderMillis != null) {
            serverMillis = leaderMillis;
            serverMillisAt = time.nanos();
        }
    }

    /** Notes that a request was answered, which may have been a read. */
    void reached(ClockReading sentAt) {
        proof.reached(sentAt, time.now());
    }

    /** Returns whether the leader's clock has been read. */
    boolean knowsLeadersTime() {
        return serverMillis != 0;
    }

    /**
     * Returns how long a node that the leader has made will be younger than it has to become. It goes by the leader's
     * clock, as of its last write for us and carried on by ours, slightly too slow: so it is never too short.
     */
    Duration untilOlder(Stat node, long millis) {
        long since = (time.nanos() - serverMillisAt) / 1_000_000;
        long now = serverMillis + since - since / 100;
        return Duration.ofMillis(Math.max(0, node.getCtime() + millis + 1 - now));
    }

    @Nullable Validity validity() {
        return proof.validity();
    }
}
