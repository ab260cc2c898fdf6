package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * A client session is the session of one client, and the next one when it is over: it connects at the first operation,
 * keeps the proof that the session lives, and ends with the client. Everything here happens within the client's serial
 * executor, so nothing needs a lock; what comes from other threads (the connection's events, answers, timers) is
 * brought there first.
 */
final class ClientSession implements CuratorConnection.Events {

    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration LATER = Duration.ofSeconds(5);

    /** Claims are those that live in a session. */
    interface Claims {
        /** Returns whether there is none. */
        boolean isEmpty();

        /** Called when there may be a connection again: each claim does what it has to do. */
        void goOn();

        /** Called when the session was confirmed. */
        void confirmed();

        /** Called when a session is over, and with it all that it owned. */
        void sessionOver(Session ended);

        /** Called when the servers refuse the client. */
        void refused(LockException why);
    }

    private final String name;
    private final StoreContext context;
    private final Paths paths;
    private final CuratorConnection link;
    private final SerialExecutor serial;
    private final Claims claims;

    private @Nullable Session session;
    private @Nullable SessionHeartbeat heartbeat;
    private boolean connected;
    private boolean started;
    private boolean closed;
    private boolean pulsing;
    private boolean tryingAgain;
    private @Nullable LockException refusal;
    private List<ACL> access = Ids.CREATOR_ALL_ACL;

    ClientSession(
            String name,
            StoreContext context,
            Paths paths,
            CuratorConnection link,
            SerialExecutor serial,
            Claims claims) {
        this.name = name;
        this.context = context;
        this.paths = paths;
        this.link = link;
        this.serial = serial;
        this.claims = claims;
    }

    SerialExecutor executor() {
        return serial;
    }

    void execute(Runnable task) {
        serial.execute(task);
    }

    StoreContext context() {
        return context;
    }

    TimeSource time() {
        return context.time();
    }

    Paths paths() {
        return paths;
    }

    /** Returns whether the session is the client's own, and ends with it. */
    boolean isOwn() {
        return link.isOwn();
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns the session, if it is connected. With our own session there is nothing to be done once it is closed. */
    @Nullable Session ready() {
        return connected && !(closed && link.isOwn()) ? session : null;
    }

    SessionHeartbeat heartbeat(Session of) {
        SessionHeartbeat beating = heartbeat;
        if (beating != null && session == of) {
            return beating;
        }
        SessionHeartbeat none = new SessionHeartbeat(this, of, claims::confirmed);
        none.stop();
        return none;
    }

    /** Returns the access list of the nodes that are made: it admits their creator alone, if the session has an identity. */
    List<ACL> access() {
        return access;
    }

    /**
     * Admits everybody to the nodes that are made: the server knows no identity of this session that could own a node.
     *
     * @return false if they admit everybody already
     */
    boolean openAccess() {
        boolean changed = access != Ids.OPEN_ACL_UNSAFE;
        access = Ids.OPEN_ACL_UNSAFE;
        return changed;
    }

    void tryAgainSoon() {
        if (tryingAgain) {
            return;
        }
        tryingAgain = true;
        Runnable again = () -> {
            tryingAgain = false;
            driveAll();
        };
        if (closed) {
            later(again);
        } else {
            time().schedule(SOON, () -> execute(again));
        }
    }

    void later(Runnable task) {
        if (closed) {
            // The client's own timer is gone by now.
            CompletableFuture.delayedExecutor(LATER.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> execute(task));
        } else {
            time().schedule(LATER, () -> execute(task));
        }
    }

    private void driveAll() {
        SessionHeartbeat beating = heartbeat;
        if (beating != null) {
            beating.go();
        }
        claims.goOn();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Returns whether an operation may begin; else its caller has a failure. Connects if it is the first. */
    boolean open(CompletableFuture<?> caller) {
        LockException refused = closed ? Codes.closed(name) : refusal;
        if (refused != null) {
            caller.completeExceptionally(refused);
            return false;
        }
        if (!started) {
            started = true;
            try {
                link.start(this);
            } catch (LockException e) {
                started = false;
                caller.completeExceptionally(e);
                return false;
            }
        }
        return true;
    }

    /** Has a task done in the session: now, or as soon as there is one. */
    void inSession(CompletableFuture<?> caller, Consumer<Session> task) {
        Session now = ready();
        if (now != null) {
            task.accept(now);
        } else if (!caller.isDone()) {
            time().schedule(Duration.ofMillis(20), () -> execute(() -> inSession(caller, task)));
        }
    }

    // ---- what becomes of it
    // --------------------------------------------------------------------------------------------

    @Override
    public void connected(ZooKeeper handle) {
        execute(() -> {
            if (handle.getSessionId() == 0) {
                return;
            }
            Session known = session;
            if (known != null && known.handle != handle) {
                sessionOver(known);
                known = null;
            }
            if (closed && (known == null || link.isOwn())) {
                return;
            }
            if (known == null) {
                known = new Session(handle, time(), serial);
                session = known;
                heartbeat = new SessionHeartbeat(this, known, claims::confirmed);
                if (link.connectedSince(handle) == null) {
                    known.proof.heard(lastPing(known));
                }
            }
            known.proof.timeout(Duration.ofMillis(handle.getSessionTimeout()));
            ClockReading since = link.connectedSince(handle);
            if (since != null) {
                known.proof.heard(since);
            }
            connected = true;
            driveAll();
            pulse();
        });
    }

    /**
     * Returns when, at the latest, the leader has heard of a session that we have not seen begin: its client pings
     * every T/3, and what has reached a server has reached the leader T/4 later. Or it is younger than that, and the
     * leader has made it while it was being connected. Both are less than two thirds of T ago.
     */
    private ClockReading lastPing(Session unknown) {
        ClockReading now = time().now();
        long ago = unknown.timeout().toNanos() / 3 * 2;
        return new ClockReading(now.nanos() - ago, now.wallMicros() - ago / 1_000);
    }

    @Override
    public void suspended() {
        execute(() -> {
            connected = false;
            if (!closed) {
                context.signals().risk(null);
            }
        });
    }

    @Override
    public void lost() {
        execute(() -> {
            connected = false;
            Session ended = session;
            if (ended != null) {
                sessionOver(ended);
            }
        });
    }

    @Override
    public void refused() {
        execute(() -> {
            LockException why = Codes.refused(Code.AUTHFAILED, name, "the connection");
            refusal = why;
            claims.refused(why);
        });
    }

    void sessionOver(Session ended) {
        if (session != ended) {
            return;
        }
        session = null;
        connected = false;
        SessionHeartbeat stopped = Objects.requireNonNull(heartbeat, "the session's heartbeat");
        heartbeat = null;
        claims.sessionOver(ended);
        // Those whom it tells that nothing is confirmed ask their claims again, which must know by then.
        stopped.stop();
        leaveOnceClear();
    }

    /**
     * Keeps the proof of the session alive for as long as there is a session: it is confirmed every third of its time-out
     * while it carries anything, and only used, every quarter, while it carries nothing.
     */
    void pulse() {
        Session in = session;
        if (!pulsing && !closed && in != null) {
            pulsing = true;
            pulseLater(in);
        }
    }

    private void pulseLater(Session in) {
        long timeout = in.timeout().toNanos();
        long least = claims.isEmpty() ? timeout / 16 : Math.min(timeout / 3, SOON.toNanos());
        long wait = Math.max(least, nanosUntilPulse(in));
        time().schedule(
                        Duration.ofNanos(wait),
                        () -> execute(() -> {
                            if (closed || session != in) {
                                pulsing = false;
                                pulse();
                                return;
                            }
                            if (connected && nanosUntilPulse(in) <= 0) {
                                if (claims.isEmpty()) {
                                    heartbeat(in).touch();
                                } else {
                                    heartbeat(in).beat((alive, refusal) -> {});
                                }
                            }
                            pulseLater(in);
                        }));
    }

    private long nanosUntilPulse(Session in) {
        long timeout = in.timeout().toNanos();
        boolean idle = claims.isEmpty();
        ClockReading last = idle ? in.proof.lastAskedAt() : in.proof.lastWrittenAt();
        return last == null ? 0 : last.nanos() + (idle ? timeout / 4 : timeout / 3) - time().nanos();
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Begins to close: no operation begins any more. */
    void beginToClose() {
        closed = true;
        tryingAgain = false;
    }

    /** Has the session of a user's go on without us: removes what is left when it is connected, and listens until then. */
    void leave() {
        SessionHeartbeat beating = heartbeat;
        if (beating != null) {
            beating.remove();
        }
        leaveOnceClear();
    }

    /** Ends our own session, and with it everything; in the user's session nothing is done. Called from any thread. */
    void end() {
        if (started && link.isOwn()) {
            link.close();
        }
    }

    /**
     * Leaves the session once nothing of ours is left in it; one of the parts calls this when nothing of its own is
     * left there.
     */
    void leaveOnceClear() {
        SessionHeartbeat beating = heartbeat;
        if (closed && !link.isOwn() && claims.isEmpty() && (beating == null || beating.isRemoved())) {
            session = null;
            heartbeat = null;
            link.close();
        }
    }
}
