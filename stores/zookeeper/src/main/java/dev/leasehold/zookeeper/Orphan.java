package dev.leasehold.zookeeper;

import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * An orphan is a node that an ended session of this client may have left behind. The servers remove it at the latest
 * when that session runs out; this is to be quicker. The new session never takes it for its own: its owner is another.
 * Used by tasks of the client's serial executor only.
 */
final class Orphan {

    private final ClientLocks locks;
    private final String parent;
    private final String prefix;
    private final @Nullable String name;
    private final long owner;
    private final long notBefore;
    private boolean underWay;

    /**
     * Notes what may have been left.
     *
     * @param prefix the beginning of the names of the claim's nodes
     * @param name the node's name, or null if its creation was never answered
     * @param owner the session that has ended
     * @param notBefore when nobody can believe any more that the node's lease is valid
     */
    Orphan(ClientLocks locks, String parent, String prefix, @Nullable String name, long owner, long notBefore) {
        this.locks = locks;
        this.parent = parent;
        this.prefix = prefix;
        this.name = name;
        this.owner = owner;
        this.notBefore = notBefore;
    }

    long nanosLeft(long now) {
        return notBefore - now;
    }

    void go() {
        Session session = locks.session().ready();
        if (underWay || session == null || nanosLeft(locks.time().nanos()) > 0) {
            return;
        }
        underWay = true;
        String known = name;
        if (known != null) {
            delete(session, known);
            return;
        }
        session.handle.sync(parent, (rc, p, ctx) -> {}, null);
        session.handle.getChildren(
                parent, false, (rc, p, ctx, children) -> locks.execute(() -> found(session, rc, children)), null);
    }

    private void found(Session session, int rc, @Nullable List<String> children) {
        Code code = Codes.of(rc);
        if (code == Code.OK && children != null) {
            List<String> ours =
                    children.stream().filter(each -> each.startsWith(prefix)).toList();
            for (String each : ours) {
                session.handle.exists(
                        parent + '/' + each,
                        false,
                        (rc2, p, ctx, stat) -> locks.execute(() -> {
                            if (Codes.of(rc2) == Code.OK && stat.getEphemeralOwner() == owner) {
                                session.handle.delete(parent + '/' + each, -1, (rc3, p3, ctx3) -> {}, null);
                            }
                        }),
                        null);
            }
            locks.forget(this);
        } else {
            ended(session, code);
        }
    }

    private void delete(Session session, String node) {
        session.handle.delete(
                parent + '/' + node, -1, (rc, p, ctx) -> locks.execute(() -> ended(session, Codes.of(rc))), null);
    }

    private void ended(Session session, Code code) {
        underWay = false;
        if (Codes.isUnknown(code) || Codes.isPassing(code)) {
            locks.session().tryAgainSoon();
        } else if (code == Code.SESSIONEXPIRED) {
            locks.session().sessionOver(session);
        } else {
            locks.forget(this);
        }
    }
}
