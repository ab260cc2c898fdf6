package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
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
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client locks are the claims of one client, and what they may have left behind. Everything here happens within the
 * client's serial executor, so nothing needs a lock; its {@link ClientSession} says what the claims live in.
 *
 * <p>When a session is over, what it owned is over at once for us, whether or not the servers know it yet: its leases are
 * lost, its waiters join again in the next session, and what it may have left behind is deleted, a lease's node not before
 * the last deadline that was given for it.
 */
final class ClientLocks implements ClientSession.Claims {

    private static final System.Logger LOG = System.getLogger("dev.leasehold.zookeeper");
    private static final int MOST_IN_A_ROW = 2_000;
    private static final Duration SWEEP = Duration.ofMillis(200);

    private final StoreContext context;
    private final Paths paths;
    private final SerialExecutor serial;
    private final ClientSession session;
    private final ImmediateSuccessor successor = new ImmediateSuccessor();
    private final Map<ClaimId, ZkClaim> claims = new HashMap<>();
    private final List<Orphan> orphans = new ArrayList<>();

    private boolean sweeping;

    ClientLocks(String name, StoreContext context, Paths paths, CuratorConnection link) {
        this.context = context;
        this.serial = new SerialExecutor(
                Runnable::run, rest -> context.time().schedule(Duration.ZERO, rest), MOST_IN_A_ROW, ClientLocks::fault);
        this.paths = paths;
        this.session = new ClientSession(name, context, paths, link, serial, this);
    }

    private static void fault(Throwable failure) {
        LOG.log(System.Logger.Level.ERROR, "Leasehold has a fault: a task of its ZooKeeper store failed", failure);
    }

    // ---- for its parts -------------------------------------------------------------------------------------------

    void execute(Runnable task) {
        serial.execute(task);
    }

    ClientSession session() {
        return session;
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

    void remove(ClaimId claim, ZkClaim zkClaim) {
        claims.remove(claim, zkClaim);
        session.leaveOnceClear();
    }

    void adopt(Orphan orphan) {
        if (!session.isClosed()) {
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
        Session in = session.ready();
        if (in != null) {
            in.handle.delete(path, -1, (rc, p, ctx) -> {}, null);
        } else if (!session.isClosed()) {
            freeAfter(path, 1_000);
        }
    }

    @Override
    public void goOn() {
        List.copyOf(orphans).forEach(Orphan::go);
        List.copyOf(claims.values()).forEach(ZkClaim::drive);
    }

    @Override
    public boolean isEmpty() {
        return claims.isEmpty();
    }

    @Override
    public void confirmed() {
        List.copyOf(claims.values()).forEach(ZkClaim::confirmed);
    }

    @Override
    public void sessionOver(Session ended) {
        List.copyOf(claims.values()).forEach(zkClaim -> zkClaim.sessionOver(ended));
    }

    @Override
    public void refused(LockException why) {
        List.copyOf(claims.values()).forEach(zkClaim -> zkClaim.giveUp(why));
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    void claim(Claim claim, CompletableFuture<ClaimAnswer> caller) {
        if (!session.open(caller)) {
            return;
        }
        ZkClaim zkClaim = claims.get(claim.id());
        if (zkClaim == null) {
            zkClaim = new ZkClaim(this, claim);
            claims.put(claim.id(), zkClaim);
            session.pulse();
            sweepSoon();
        }
        zkClaim.ask(claim, caller);
    }

    boolean wasSent(ClaimId claim) {
        ZkClaim zkClaim = claims.get(claim);
        return zkClaim != null && zkClaim.wasSent();
    }

    void renew(LeaseId lease, Duration duration, CompletableFuture<RenewAnswer> caller) {
        ofClaim(lease, caller, zkClaim -> zkClaim.renew(lease, duration, caller));
    }

    void downgrade(LeaseId lease, Duration duration, CompletableFuture<RenewAnswer> caller) {
        ofClaim(lease, caller, zkClaim -> zkClaim.downgrade(lease, duration, caller));
    }

    private void ofClaim(LeaseId lease, CompletableFuture<RenewAnswer> caller, Consumer<ZkClaim> then) {
        if (!session.open(caller)) {
            return;
        }
        ZkClaim zkClaim = find(lease.lock(), lease.claim());
        if (zkClaim == null) {
            caller.complete(new RenewAnswer.Lost());
        } else {
            then.accept(zkClaim);
        }
    }

    void release(LeaseId lease, Duration keepFor, CompletableFuture<ReleaseAnswer> caller) {
        if (!session.open(caller)) {
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
        if (!session.open(caller)) {
            return;
        }
        ZkClaim zkClaim = find(lock, claim);
        if (zkClaim == null) {
            caller.complete(ReleaseAnswer.NOT_HELD);
        } else {
            zkClaim.withdraw(caller);
        }
    }

    private @Nullable ZkClaim find(String lock, ClaimId claim) {
        ZkClaim zkClaim = claims.get(claim);
        return zkClaim == null || !zkClaim.isFor(lock) ? null : zkClaim;
    }

    /** Arms the one timer for what need not be punctual, which takes the place of one per lease. */
    private void sweepSoon() {
        if (!sweeping && !session.isClosed()) {
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
    void close(Runnable failUnanswered) {
        serial.stayHere();
        execute(() -> {
            if (session.isClosed()) {
                return;
            }
            session.beginToClose();
            failUnanswered.run();
            if (!session.isOwn()) {
                orphans.clear();
                List.copyOf(claims.values()).forEach(zkClaim -> zkClaim.withdraw(new CompletableFuture<>()));
                session.leave();
            }
        });
        session.end();
    }
}
