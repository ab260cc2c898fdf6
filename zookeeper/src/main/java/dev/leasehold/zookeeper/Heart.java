package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Confirms a client's session: by writing to a node of its own, which is gone when the session is. One write speaks for
 * all locks of the client. At most one is under way; whoever asks meanwhile is answered by the next, so that what is
 * confirmed was always sent after it was asked for. Used within turns.
 */
final class Heart {

    private static final byte[] NOTHING = {};

    private final Locks locks;
    private final Session session;
    private final String path;
    private List<Consumer<Boolean>> asking = new ArrayList<>();
    private boolean beating;
    private boolean made;
    private boolean over;

    Heart(Locks locks, Session session) {
        this.locks = locks;
        this.session = session;
        this.path = locks.paths().client(locks.context().clientId(), session.id);
    }

    /**
     * Confirms the session by a request that is sent from now on.
     *
     * @param confirmed told true when it is confirmed, false when it is over
     */
    void beat(Consumer<Boolean> confirmed) {
        if (over) {
            confirmed.accept(false);
            return;
        }
        asking.add(confirmed);
        go();
    }

    /** Goes on after the connection was lost. */
    void go() {
        if (beating || over || asking.isEmpty() || locks.ready() != session) {
            return;
        }
        beating = true;
        List<Consumer<Boolean>> answered = asking;
        asking = new ArrayList<>();
        ClockReading sentAt = locks.time().now();
        if (made) {
            session.handle.setData(
                    path, NOTHING, -1, (rc, p, ctx, stat) -> locks.turn(() -> done(rc, stat, sentAt, answered)), null);
        } else {
            session.handle.create(
                    path,
                    NOTHING,
                    locks.access(),
                    CreateMode.EPHEMERAL,
                    (rc, p, ctx, name, stat) -> locks.turn(() -> done(rc, stat, sentAt, answered)),
                    null);
        }
    }

    private void done(int rc, Stat stat, ClockReading sentAt, List<Consumer<Boolean>> answered) {
        beating = false;
        if (over) {
            answered.forEach(each -> each.accept(false));
            return;
        }
        Code code = Codes.of(rc);
        if (code == Code.OK) {
            made = true;
            session.answered(sentAt, stat.getMtime());
            answered.forEach(each -> each.accept(true));
            locks.confirmed();
            go();
            return;
        }
        // What was asked for is asked again, and comes first.
        answered.addAll(asking);
        asking = answered;
        switch (code) {
            // It was made, and only the answer got lost; or somebody has deleted it.
            case NODEEXISTS -> made = true;
            case NONODE -> {
                if (!made) {
                    locks.makePath(session, locks.paths().clients());
                }
                made = false;
            }
            case INVALIDACL -> locks.openAccess();
            case SESSIONEXPIRED -> {
                locks.sessionOver(session);
                return;
            }
            default -> {
                locks.tryAgainSoon();
                return;
            }
        }
        go();
    }

    void stop() {
        over = true;
        List<Consumer<Boolean>> left = asking;
        asking = new ArrayList<>();
        left.forEach(each -> each.accept(false));
    }

    /** Removes the node, where the session goes on without us. */
    void remove() {
        if (made) {
            session.handle.delete(path, -1, (rc, p, ctx) -> {}, null);
        }
    }
}
