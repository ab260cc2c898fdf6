package dev.leasehold.zookeeper;

import java.util.function.Predicate;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * An own node watch is the watch on a claim's own node, which shows that somebody has deleted it. At most one is set at
 * a time. Used by tasks of the client's serial executor only.
 */
final class OwnNodeWatch {

    private final ClaimNode own;
    private final Predicate<Session> isCurrent;
    private final Runnable changed;
    private final Runnable gone;
    private boolean set;

    /**
     * Begins without a watch.
     *
     * @param isCurrent whether the claim is still at work in that session
     * @param changed called after a change that leaves the node there, and has used up the watch
     * @param gone called when the node is not there
     */
    OwnNodeWatch(ClaimNode own, Predicate<Session> isCurrent, Runnable changed, Runnable gone) {
        this.own = own;
        this.isCurrent = isCurrent;
        this.changed = changed;
        this.gone = gone;
    }

    boolean isSet() {
        return set;
    }

    /** Notes that the session is over, and its watches with it. */
    void forget() {
        set = false;
    }

    void set(Session in, String child) {
        set = true;
        own.watch(in, child, event -> happened(in, event), code -> {
            if (!isCurrent.test(in)) {
                return;
            }
            if (code == Code.NONODE) {
                gone.run();
            } else if (code != Code.OK) {
                set = false;
            }
        });
    }

    /** Handles an event that has come for the node. */
    void happened(Session in, WatchedEvent event) {
        if (!isCurrent.test(in) || event.getType() == EventType.None) {
            return;
        }
        set = false;
        if (event.getType() == EventType.NodeDeleted) {
            gone.run();
        } else {
            changed.run();
        }
    }
}
