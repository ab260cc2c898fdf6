package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * All claims of one client, and its session. Everything here happens within serial, so nothing needs a lock; what comes from
 * other threads (the connection's events, answers, timers) is brought into a turn first.
 *
 * <p>When a session is over, what it owned is over at once for us, whether or not the servers know it yet: its leases are
 * lost, its waiters join again in the next session, and what it may have left behind is deleted, a lease's node not before
 * the last deadline that was given for it.
 */
final class ClientLocks implements CuratorConnection.Events {

    private static final System.Logger LOG = System.getLogger("dev.leasehold.zookeeper");
    private static final int MOST_IN_A_ROW = 2_000;
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration LATER = Duration.ofSeconds(5);
    private static final Duration SWEEP = Duration.ofMillis(200);

    private final String name;
    private final StoreContext context;
    private final Paths paths;
    private final CuratorConnection link;
    private final SerialExecutor serial;
    private final ImmediateSuccessor successor = new ImmediateSuccessor();
    private final Map<ClaimId, ZkClaim> claims = new HashMap<>();
    private final List<Orphan> orphans = new ArrayList<>();

    private @Nullable Session session;
    private @Nullable SessionHeartbeat heartbeat;
    private boolean connected;
    private boolean started;
    private boolean closed;
    private boolean pulsing;
    private boolean tryingAgain;
    private boolean sweeping;
    private @Nullable LockException refusal;
    private List<ACL> access = Ids.CREATOR_ALL_ACL;

    ClientLocks(String name, StoreContext context, Paths paths, CuratorConnection link) {
        this.name = name;
        this.context = context;
        this.serial = new SerialExecutor(
                Runnable::run, rest -> context.time().schedule(Duration.ZERO, rest), MOST_IN_A_ROW, ClientLocks::fault);
        this.paths = paths;
        this.link = link;
    }

    private static void fault(Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "Leasehold has a fault: a task of its ZooKeeper store failed", failure);
    }

    // ---- for its parts -------------------------------------------------------------------------------------------

    void execute(Runnable task) {
        serial.execute(task);
    }

    SerialExecutor executor() {
        return serial;
    }

    ImmediateSuccessor successor() {
        return successor;
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

    /** The session, if it is connected. With our own session there is nothing to be done once it is closed. */
    @Nullable Session ready() {
        return connected && !(closed && link.isOwn()) ? session : null;
    }

    SessionHeartbeat heartbeat(Session of) {
        SessionHeartbeat beating = heartbeat;
        if (beating != null && session == of) {
            return beating;
        }
        SessionHeartbeat none = new SessionHeartbeat(this, of);
        none.stop();
        return none;
    }

    /** Returns the access list of the nodes that are made: it admits their creator alone, if the session has an identity. */
    List<ACL> access() {
        return access;
    }

    /** The server knows no identity of this session that could own a node. */
    void openAccess() {
        access = Ids.OPEN_ACL_UNSAFE;
    }

    /** Makes what is missing on the way to a lock's node, or to those of clients; making it twice does no harm. */
    void makePath(Session in, String path) {
        String[] steps = path.substring(1).split("/", -1);
        StringBuilder made = new StringBuilder(path.length());
        for (int i = 0; i < steps.length; i++) {
            made.append('/').append(steps[i]);
            boolean lock = i == steps.length - 1 && !path.equals(paths.clients());
            in.handle.create(
                    made.toString(),
                    new byte[0],
                    access,
                    lock ? CreateMode.CONTAINER : CreateMode.PERSISTENT,
                    (rc, p, ctx, name) -> {},
                    null);
        }
    }

    void remove(ClaimId claim, ZkClaim zkClaim) {
        claims.remove(claim, zkClaim);
        leaveOnceClear();
    }

    void adopt(Orphan orphan) {
        if (!closed) {
            orphans.add(orphan);
            goOn(orphan);
        }
    }

    private void goOn(Orphan orphan) {
        long left = orphan.nanosLeft(time().nanos());
        if (left > 0) {
            time().schedule(Duration.ofNanos(left), () -> execute(orphan::go));
        } else {
            orphan.go();
        }
    }

    void forget(Orphan orphan) {
        orphans.remove(orphan);
    }

    /** Deletes the node of a kept lock when its time is over; if this client is gone by then, the next claim does. */
    void freeAfter(String path, long millis) {
        time().schedule(Duration.ofMillis(millis + millis / 100 + 5), () -> execute(() -> free(path)));
    }

    private void free(String path) {
        Session in = ready();
        if (in != null) {
            in.handle.delete(path, -1, (rc, p, ctx) -> {}, null);
        } else if (!closed) {
            freeAfter(path, 1_000);
        }
    }

    void tryAgainSoon() {
        if (tryingAgain) {
            return;
        }
        tryingAgain = true;
        Runnable again = () -> execute(() -> {
            tryingAgain = false;
            driveAll();
        });
        if (closed) {
            // The client's own timer is gone by now.
            CompletableFuture.delayedExecutor(LATER.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(again);
        } else {
            time().schedule(SOON, again);
        }
    }

    private void driveAll() {
        SessionHeartbeat beating = heartbeat;
        if (beating != null) {
            beating.go();
        }
        List.copyOf(orphans).forEach(Orphan::go);
        List.copyOf(claims.values()).forEach(ZkClaim::drive);
    }

    /** The session was confirmed. */
    void confirmed() {
        List.copyOf(claims.values()).forEach(ZkClaim::confirmed);
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    void claim(Claim claim, CompletableFuture<ClaimAnswer> caller) {
        if (!open(caller)) {
            return;
        }
        ZkClaim zkClaim = claims.get(claim.id());
        if (zkClaim == null) {
            zkClaim = new ZkClaim(this, claim);
            claims.put(claim.id(), zkClaim);
            pulse();
            sweepSoon();
        }
        zkClaim.ask(claim, caller);
    }

    boolean wasSent(ClaimId claim) {
        ZkClaim zkClaim = claims.get(claim);
        return zkClaim != null && zkClaim.wasSent();
    }

    void renew(LeaseId lease, Duration duration, CompletableFuture<RenewAnswer> caller) {
        if (!open(caller)) {
            return;
        }
        ZkClaim zkClaim = find(lease.lock(), lease.claim());
        if (zkClaim == null) {
            caller.complete(new RenewAnswer.Lost());
        } else {
            zkClaim.renew(lease, duration, caller);
        }
    }

    void release(LeaseId lease, Duration keepFor, CompletableFuture<ReleaseAnswer> caller) {
        if (!open(caller)) {
            return;
        }
        ZkClaim zkClaim = find(lease.lock(), lease.claim());
        if (zkClaim == null) {
            caller.complete(ReleaseAnswer.NOT_HELD);
        } else {
            zkClaim.release(lease, keepFor, caller);
        }
    }

    void withdraw(String lock, ClaimId claim, CompletableFuture<ReleaseAnswer> caller) {
        if (!open(caller)) {
            return;
        }
        ZkClaim zkClaim = find(lock, claim);
        if (zkClaim == null) {
            caller.complete(ReleaseAnswer.NOT_HELD);
        } else {
            zkClaim.withdraw(caller::complete);
        }
    }

    private @Nullable ZkClaim find(String lock, ClaimId claim) {
        ZkClaim zkClaim = claims.get(claim);
        return zkClaim == null || !zkClaim.isFor(lock) ? null : zkClaim;
    }

    /** Whether an operation may begin; connects if it is the first. */
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

    /** Does something in the session: now, or as soon as there is one. */
    void inSession(CompletableFuture<?> caller, Consumer<Session> task) {
        Session now = ready();
        if (now != null) {
            task.accept(now);
        } else if (!caller.isDone()) {
            time().schedule(Duration.ofMillis(20), () -> execute(() -> inSession(caller, task)));
        }
    }

    // ---- the session ---------------------------------------------------------------------------------------------

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
                heartbeat = new SessionHeartbeat(this, known);
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
     * When the leader has heard of a session at the latest that we have not seen begin: its client pings every T/3, and
     * what has reached a server has reached the leader T/4 later. Or it is younger than that, and the leader has made it
     * while it was being connected. Both are less than two thirds of T ago.
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
            for (ZkClaim zkClaim : List.copyOf(claims.values())) {
                zkClaim.giveUp(why);
            }
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
        for (ZkClaim zkClaim : List.copyOf(claims.values())) {
            zkClaim.sessionOver(ended);
        }
        // Those whom it tells that nothing is confirmed ask their claims again, which must know by then.
        stopped.stop();
        leaveOnceClear();
    }

    /**
     * Keeps the proof of the session alive for as long as there is a session: it is confirmed every third of its time-out
     * while it carries anything, and only used, every quarter, while it carries nothing.
     */
    private void pulse() {
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
                                    heartbeat(in).beat(alive -> {});
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

    /** One timer for what need not be punctual, in place of one per lease. */
    private void sweepSoon() {
        if (!sweeping && !closed) {
            sweeping = true;
            time().schedule(
                            SWEEP,
                            () -> execute(() -> {
                                sweeping = false;
                                List.copyOf(claims.values()).forEach(ZkClaim::sweep);
                                if (!claims.isEmpty()) {
                                    sweepSoon();
                                }
                            }));
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /**
     * Leaves at once: with our own session everything goes. In the user's session our nodes are deleted in the background, now
     * or when it is connected again, and what may have been made is looked for; until then, or until that session is over, the
     * connection is listened to.
     */
    void close(RequestTimeouts timeouts) {
        serial.stayHere();
        execute(() -> {
            if (closed) {
                return;
            }
            closed = true;
            timeouts.failAll(() -> Codes.closed(name));
            if (!link.isOwn()) {
                orphans.clear();
                List.copyOf(claims.values()).forEach(zkClaim -> zkClaim.withdraw(answer -> {}));
                SessionHeartbeat beating = heartbeat;
                if (beating != null) {
                    beating.remove();
                }
                leaveOnceClear();
            }
        });
        if (started && link.isOwn()) {
            link.close();
        }
    }

    /** Nothing of ours is left in the session, as far as one of the parts knows. */
    void leaveOnceClear() {
        SessionHeartbeat beating = heartbeat;
        if (closed && !link.isOwn() && claims.isEmpty() && (beating == null || beating.isRemoved())) {
            session = null;
            heartbeat = null;
            link.close();
        }
    }
}
