package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.ClockReading;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A session heartbeat is that of a client's session. A beat writes to a node of the client's own, which is gone when
 * the session is: once, or twice, one write after the other, where the second proves considerably more ({@link
 * SessionProof}). One beat speaks for all locks of the client. At most one is under way; the next answers the callers
 * who ask meanwhile, so that what is confirmed was always sent after it was asked for. A client that holds nothing only
 * reads that node, from its own server, in place of the pings that its connection would send otherwise: what the next
 * beat proves begins with such a read. Used by tasks of the client's serial executor only.
 */
final class SessionHeartbeat {

    private static final System.Logger LOG = System.getLogger("dev.leasehold.zookeeper");
    private static final byte[] NOTHING = {};

    private final ClientSession client;
    private final Session session;
    private final Runnable onConfirmed;
    private final String path;
    private List<Asker> asking = new ArrayList<>();
    private boolean beating;
    private boolean again;
    private boolean made;
    private boolean over;
    private boolean leaving;
    private boolean removing;
    private boolean removed;

    /** Why the node of clients, under which ours is made, cannot be made either. */
    private @Nullable LockException unmade;

    /** The way to our node was made, and what came of the node after that is not known yet. */
    private boolean madeWay;

    private boolean warned;

    /** An asker receives what came of a beat. */
    interface Asker {

        /**
         * Called once.
         *
         * @param alive whether the session is confirmed; false without a refusal says that it is over
         * @param refusal why the servers refuse to confirm it, or null
         */
        void told(boolean alive, @Nullable LockException refusal);
    }

    /**
     * Makes the heartbeat of a session.
     *
     * @param onConfirmed runs each time that the session was confirmed
     */
    SessionHeartbeat(ClientSession client, Session session, Runnable onConfirmed) {
        this.client = client;
        this.session = session;
        this.onConfirmed = onConfirmed;
        this.path = client.paths().client(client.context().clientId(), session.id);
    }

    /** Confirms the session by a request that is sent from now on. */
    void beat(Asker asker) {
        if (over) {
            asker.told(false, null);
            return;
        }
        asking.add(asker);
        go();
    }

    /** Goes on after the connection was lost. */
    void go() {
        if (leaving) {
            vanish();
            return;
        }
        if (beating || over || asking.isEmpty() || client.ready() != session) {
            return;
        }
        beating = true;
        List<Asker> answered = asking;
        asking = new ArrayList<>();
        ClockReading sentAt = client.time().now();
        if (made) {
            session.handle.setData(
                    path,
                    NOTHING,
                    -1,
                    (rc, p, ctx, stat) -> client.execute(() -> done(rc, stat, sentAt, answered)),
                    null);
        } else {
            session.handle.create(
                    path,
                    NOTHING,
                    client.access(),
                    CreateMode.EPHEMERAL,
                    (rc, p, ctx, name, stat) -> client.execute(() -> done(rc, stat, sentAt, answered)),
                    null);
        }
    }

    private void done(int rc, Stat stat, ClockReading sentAt, List<Asker> answered) {
        beating = false;
        if (over) {
            answered.forEach(each -> each.told(false, null));
            return;
        }
        Code code = Codes.of(rc);
        if (code == Code.OK) {
            made = true;
            forgetWay();
            session.written(sentAt, stat.getMtime());
            if (!again && session.proof.gainsByAnotherWrite()) {
                again = true;
                answered.addAll(asking);
                asking = answered;
                go();
                return;
            }
            again = false;
            answered.forEach(each -> each.told(true, null));
            onConfirmed.run();
            go();
            return;
        }
        // The callers of this beat ask again, and come first.
        answered.addAll(asking);
        asking = answered;
        switch (code) {
            // It was made, and only the answer got lost; or somebody has deleted it.
            case NODEEXISTS -> made = true;
            case NONODE -> {
                if (madeWay) {
                    LockException why = unmade;
                    forgetWay();
                    refused(why == null ? refusal(code) : why);
                    return;
                }
                if (!made) {
                    madeWay = true;
                    MissingPath.make(client, session, client.paths().clients(), denied -> unmade = denied);
                }
                made = false;
            }
            case SESSIONEXPIRED -> {
                client.sessionOver(session);
                return;
            }
            default -> {
                if (!Codes.isRefusal(code)) {
                    forgetWay();
                    client.tryAgainSoon();
                    return;
                }
                if (code != Code.INVALIDACL || !client.openAccess()) {
                    refused(refusal(code));
                    return;
                }
            }
        }
        go();
    }

    private LockException refusal(Code code) {
        return Codes.refused(
                code,
                client.toString(),
                "to confirm the session by the node '" + path + "'",
                "no lease of this client is confirmed");
    }

    private void forgetWay() {
        madeWay = false;
        unmade = null;
    }

    private void refused(LockException why) {
        if (!warned) {
            warned = true;
            LOG.log(
                    Level.WARNING,
                    "the leases of this client end, since they cannot be confirmed: " + why.getMessage());
        }
        tellAll(why);
    }

    private void tellAll(@Nullable LockException refusal) {
        List<Asker> all = asking;
        asking = new ArrayList<>();
        all.forEach(each -> each.told(false, refusal));
    }

    /** Has the session's server note that the client is there. */
    void touch() {
        if (over || client.ready() != session) {
            return;
        }
        ClockReading sentAt = client.time().now();
        session.handle.exists(
                path,
                false,
                (rc, p, ctx, stat) -> client.execute(() -> {
                    Code code = Codes.of(rc);
                    if (code == Code.OK || code == Code.NONODE) {
                        session.reached(sentAt);
                    }
                }),
                null);
    }

    void stop() {
        over = true;
        tellAll(null);
    }

    /** Removes the node, where the session goes on without us: now, or when there is a connection again. */
    void remove() {
        boolean mayBeThere = made || beating;
        stop();
        leaving = true;
        removed = !mayBeThere;
        go();
    }

    boolean isRemoved() {
        return removed;
    }

    private void vanish() {
        if (removed || removing || client.ready() != session) {
            return;
        }
        removing = true;
        session.handle.delete(
                path,
                -1,
                (rc, p, ctx) -> client.execute(() -> {
                    removing = false;
                    Code code = Codes.of(rc);
                    if (Codes.isUnknown(code) || Codes.isPassing(code)) {
                        client.tryAgainSoon();
                    } else {
                        removed = true;
                        client.leaveOnceClear();
                    }
                }),
                null);
    }
}
