package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One claim's place in the queue of a lock: an ephemeral sequential node, from before its creation until it is certainly gone.
 * Whoever is first in the queue has the lock. Used within turns.
 *
 * <p>Here is decided what to do; {@link ClaimNode}, {@link Search} and {@link Lineup} talk to the servers for it, and {@link
 * Askers} keeps who waits for an answer.
 *
 * <p>Why nobody is let in too early. A node is first if no other with a lower number is there, which a listing shows, or what
 * is known already ({@link Succession}); nodes that come later get higher numbers, so once first, always first, until it is
 * gone. It is gone when we delete it (after the lease's deadline, or at its end by its holder), when somebody breaks the lock,
 * or when the session ends; and no validity is given that {@link SessionProof} does not cover. A node that the answer to a
 * creation, or the owner in a node's record, does not tie to the present session is never taken for ours.
 *
 * <p>Why no wake-up is lost. A waiter watches the node before it by reading it: if it is not there any more, that is known at
 * once. When it goes, the lock's own node says whether its holder has released it (then nobody else is before us: he was
 * first, and we came next), written in the same transaction; otherwise we list again. So a hand-over costs the same
 * however many wait.
 *
 * <p>Why nothing stays behind. What is to be done is read from the state each time ({@link #drive}): after an answer that never
 * came, after a reconnection, after a while. A creation without an answer is looked for by the claim's id, in a listing that
 * comes after everything that had been under way. A place is forgotten only when its node is gone, or handed to an {@link
 * Orphan} when its session is. And what nobody renews is deleted by its own client when its time is over, so a lease may be
 * shorter than the session that carries it.
 */
final class Place {

    private enum Node {
        NONE,
        CREATING,
        UNSURE,
        THERE
    }

    /** Those who hold for less than that do not pay for a watch on their own node. */
    private static final long WATCHED_AFTER_NANOS = 300_000_000L;

    private static final int MOST_TRIES = 20;

    private final Locks locks;
    private final TimeSource time;
    private final String parent;
    private final Lineup lineup;
    private final ClaimNode own;
    private Claim claim;

    private Node node = Node.NONE;
    private @Nullable Session session;
    private @Nullable NodeName name;
    private long czxid;
    private boolean followed;
    private boolean busy;
    private boolean sent;
    private int tries;

    private boolean queued;
    private int ahead;
    private @Nullable String watched;
    private final Consumer<WatchedEvent> listener = this::predecessorChanged;
    private @Nullable String listensTo;
    private @Nullable String gone;
    private boolean waited;
    private long keptUntil;

    private boolean granted;
    private long token;
    private long grantedAt;
    private boolean ownWatched;
    private boolean answered;
    private long told;

    private boolean leaving;

    /** Had the lock, and left because the lease was over. */
    private boolean ranOut;

    private Duration keepFor = Duration.ZERO;
    private boolean over;

    private long end;
    private TimeSource.@Nullable Timer timer;
    private long timerAt;

    private final Askers askers = new Askers();
    private final List<Consumer<ReleaseAnswer>> leavers = new ArrayList<>();
    private @Nullable ClaimAnswer refusal;

    Place(Locks locks, Claim claim) {
        this.locks = locks;
        this.time = locks.time();
        this.parent = locks.paths().lock(claim.lock());
        this.lineup = new Lineup(locks, parent);
        this.own = new ClaimNode(locks, parent);
        this.claim = claim;
        this.end = time.nanos() + aliveNanos();
        this.told = time.nanos();
    }

    // ---- what the client asks ------------------------------------------------------------------------------------

    void ask(Claim again, CompletableFuture<ClaimAnswer> asker) {
        claim = again;
        queued |= again.enqueue();
        if (granted && !leaving) {
            confirmGrant(asker);
            return;
        }
        askers.add(asker);
        if (!leaving) {
            long alive = time.nanos() + aliveNanos();
            end = alive - end > 0 ? alive : end;
            if (locks.ready() == null) {
                arm();
            }
            drive();
        }
    }

    boolean isFor(String lock) {
        return claim.lock().equals(lock);
    }

    /** The connection is refused for good. */
    void giveUp(LockException why) {
        askers.takeAll().forEach(each -> each.completeExceptionally(why));
    }

    /** Whether a request of ours may have reached a server. */
    boolean wasSent() {
        return sent;
    }

    void renew(LeaseId lease, Duration duration, CompletableFuture<RenewAnswer> asker) {
        if (!isOurs(lease) || leaving) {
            asker.complete(new RenewAnswer.Lost());
            return;
        }
        if (!granted) {
            // Perhaps it was handed over, and we have not heard of it yet.
            CompletableFuture<ClaimAnswer> first = new CompletableFuture<>();
            first.whenComplete((answer, failure) -> locks.turn(() -> {
                if (failure != null) {
                    asker.completeExceptionally(failure);
                } else if (answer instanceof ClaimAnswer.Granted) {
                    renew(lease, duration, asker);
                } else {
                    asker.complete(new RenewAnswer.Lost());
                }
            }));
            ask(claim, first);
            return;
        }
        long now = time.nanos();
        if (now - end >= 0) {
            runOut();
            asker.complete(new RenewAnswer.Lost());
            return;
        }
        lastUntil(now + nanos(duration));
        answered = true;
        watchOwn();
        confirm(
                asker,
                validity -> asker.complete(new RenewAnswer.Renewed(validity)),
                () -> asker.complete(new RenewAnswer.Lost()));
    }

    void release(LeaseId lease, Duration keep, CompletableFuture<ReleaseAnswer> asker) {
        if (!isOurs(lease) || ranOut || (granted && !leaving && time.nanos() - end >= 0)) {
            asker.complete(ReleaseAnswer.NOT_HELD);
            return;
        }
        leavers.add(asker::complete);
        if (!leaving) {
            leave(keep);
        }
    }

    void withdraw(Consumer<ReleaseAnswer> asker) {
        leavers.add(asker);
        if (!leaving) {
            leave(Duration.ZERO);
        }
    }

    private boolean isOurs(LeaseId lease) {
        return node == Node.THERE
                && czxid << 6 == lease.token()
                && lease.claim().equals(claim.id());
    }

    /** Nobody has spoken up in time. Our node is still to be removed, but whoever asks is told already that the lease is over. */
    private void runOut() {
        ranOut = granted;
        leave(Duration.ZERO);
    }

    private void leave(Duration keep) {
        leaving = true;
        keepFor = keep;
        drive();
    }

    // ---- what is to be done next ---------------------------------------------------------------------------------

    /** Does what the state asks for, unless something is under way already. */
    void drive() {
        if (busy || over) {
            return;
        }
        if (node == Node.NONE && leaving) {
            vanish(ReleaseAnswer.NOT_HELD);
            return;
        }
        Session now = locks.ready();
        if (now == null || (node != Node.NONE && session != now)) {
            return;
        }
        session = now;
        if (node == Node.NONE) {
            create(now);
        } else if (node == Node.UNSURE) {
            find(now);
        } else if (leaving) {
            remove(now);
        } else if (!granted) {
            String left = gone;
            if (left != null) {
                follow(now, left);
            } else if (watched == null) {
                look(now, false);
            } else if (!askers.isEmpty()) {
                check(now, watched);
            }
        }
    }

    private void begin() {
        busy = true;
        sent = true;
        askers.sending();
    }

    /** Ends what was under way; false if it belongs to a session that is over. */
    private boolean finish(Session of) {
        if (over || session != of) {
            return false;
        }
        busy = false;
        return true;
    }

    /** Handles what is neither success nor an answer that means something to the request. */
    private void failed(Session of, Code code, String what) {
        if (Codes.isUnknown(code) || Codes.isPassing(code)) {
            locks.tryAgainSoon();
        } else if (code == Code.SESSIONEXPIRED) {
            locks.sessionOver(of);
        } else {
            refuse(Codes.refused(code, locks.toString(), what + " of '" + claim.lock() + "'"));
        }
    }

    private void refuse(LockException failure) {
        List<CompletableFuture<ClaimAnswer>> refused = askers.takeAll();
        if (!leaving) {
            leave(Duration.ZERO);
        } else {
            // The servers refuse the removal: it is tried again, and ends with the session at the latest.
            locks.tryAgainSoon();
        }
        refused.forEach(each -> each.completeExceptionally(failure));
    }

    // ---- the node ------------------------------------------------------------------------------------------------

    private void create(Session in) {
        begin();
        node = Node.CREATING;
        ClockReading sentAt = time.now();
        boolean lists = !locks.succession().isLikely(in, parent);
        own.create(in, claim, (code, path, stat) -> created(in, code, path, stat, sentAt, lists));
        if (lists) {
            own.list(in, (code, children) -> listed(in, code, children));
        }
    }

    private void created(Session in, Code code, String path, Stat stat, ClockReading sentAt, boolean lists) {
        if (over || session != in || node != Node.CREATING) {
            return;
        }
        switch (code) {
            case OK -> {
                in.written(sentAt, stat.getCtime());
                adopt(path.substring(parent.length() + 1), stat);
                followed = locks.succession().follows(in, parent, mine(), czxid);
            }
            case NONODE -> locks.makePath(in, parent);
            case INVALIDACL -> locks.openAccess();
            default -> {
                if (Codes.isUnknown(code) || code == Code.SESSIONEXPIRED) {
                    node = Node.UNSURE;
                } else if (!Codes.isPassing(code)) {
                    node = Node.NONE;
                    refuse(Codes.refused(code, locks.toString(), "the claim of '" + claim.lock() + "'"));
                }
            }
        }
        if (!lists) {
            unlisted(in, code);
        }
    }

    /** The creation was answered, and nobody lists beside it. */
    private void unlisted(Session in, Code code) {
        if (node != Node.THERE) {
            listed(in, code, null);
        } else if (finish(in)) {
            seen(in, followed ? new Lineup.First() : new Lineup.Unsaid());
        }
    }

    private void adopt(String child, Stat stat) {
        node = Node.THERE;
        name = NodeName.parse(child);
        czxid = stat.getCzxid();
    }

    private void listed(Session in, Code code, @Nullable List<String> children) {
        if (!finish(in)) {
            return;
        }
        if (node == Node.NONE) {
            drive();
        } else if (node == Node.CREATING) {
            node = Node.NONE;
            if (++tries > MOST_TRIES) {
                refuse(Codes.refused(Code.NONODE, locks.toString(), "the claim of '" + claim.lock() + "'"));
                return;
            }
            drive();
        } else if (node == Node.THERE) {
            busy = true;
            newLook(in).listed(code, children);
        } else {
            failed(in, code, "the claim");
        }
    }

    private void find(Session in) {
        begin();
        Search.of(locks, in, parent, claim.id(), (code, child, stat) -> {
            if (!finish(in)) {
                return;
            }
            if (code != Code.OK) {
                failed(in, code, "the claim");
            } else if (child == null || stat == null) {
                nodeGone();
            } else {
                adopt(child, stat);
                drive();
            }
        });
    }

    /** There is no node of ours. A waiter makes another; a holder has lost the lock. */
    private void nodeGone() {
        node = Node.NONE;
        watched = null;
        gone = null;
        if (granted && !leaving) {
            lost();
        } else {
            drive();
        }
    }

    private void lost() {
        vanish(ReleaseAnswer.NOT_HELD);
        locks.context().signals().doubt(claim.lock());
    }

    private void remove(Session in) {
        begin();
        ClockReading sentAt = time.now();
        boolean keeps = granted && !keepFor.isZero() && !keepFor.isNegative();
        Consumer<Code> then = code -> removed(in, code, sentAt, keeps);
        if (keeps) {
            own.removeKeeping(in, child(), new NodeData.Keep(token, keepMillis()), then);
        } else if (granted && waited) {
            own.removeMarking(in, child(), then);
        } else {
            own.remove(in, child(), then);
        }
    }

    private long keepMillis() {
        return Math.max(1, nanos(keepFor) / 1_000_000 + (nanos(keepFor) % 1_000_000 == 0 ? 0 : 1));
    }

    private void removed(Session in, Code code, ClockReading sentAt, boolean kept) {
        if (!finish(in)) {
            return;
        }
        switch (code) {
            case OK -> {
                in.written(sentAt, null);
                if (kept) {
                    locks.freeAfter(parent + '/' + NodeName.KEEP + token, keepMillis());
                }
                if (granted) {
                    locks.succession().left(in, parent, mine(), czxid, followed);
                }
                vanish(ReleaseAnswer.RELEASED);
            }
            case NONODE -> vanish(ReleaseAnswer.NOT_HELD);
            case INVALIDACL -> {
                locks.openAccess();
                drive();
            }
            default -> {
                // Without its mark a release costs the next in the queue a listing, and no more.
                waited &= Codes.isUnknown(code) || Codes.isPassing(code) || code == Code.SESSIONEXPIRED;
                failed(in, code, "the release");
            }
        }
    }

    private void vanish(ReleaseAnswer answer) {
        over = true;
        stopListening();
        granted = false;
        TimeSource.Timer armed = timer;
        if (armed != null) {
            armed.cancel();
        }
        locks.remove(claim.id(), this);
        leavers.forEach(each -> each.accept(answer));
        leavers.clear();
        ClaimAnswer refused = refusal;
        if (refused != null) {
            askers.answer(refused);
        }
        // Whoever asked while we were leaving asks for a new lease.
        askers.takeAll().forEach(each -> locks.claim(claim, each));
    }

    // ---- the queue -----------------------------------------------------------------------------------------------

    private Lineup.Look newLook(Session in) {
        return lineup.new Look(in, mine(), czxid, queued ? path -> listenTo(in, path) : null, view -> {
            if (finish(in)) {
                seen(in, view);
            }
        });
    }

    private void look(Session in, boolean afterAll) {
        begin();
        newLook(in).list(afterAll);
    }

    private void seen(Session in, Lineup.View view) {
        if (leaving || view instanceof Lineup.Unsaid) {
            drive();
        } else if (view instanceof Lineup.First) {
            grant();
        } else if (view instanceof Lineup.Behind behind) {
            behind(in, behind);
        } else if (view instanceof Lineup.Gone left) {
            watched = null;
            gone = left.last();
            drive();
        } else if (view instanceof Lineup.Failed failed) {
            failed(in, failed.code(), "the claim");
        } else if (view instanceof Lineup.Newer newer) {
            refuse(newer.why());
        } else {
            nodeGone();
        }
    }

    private void behind(Session in, Lineup.Behind behind) {
        Duration kept = behind.kept();
        if (behind.isNextAfterKeep() && kept != null && kept.isZero()) {
            busy = true;
            own.removeKept(in, behind.last(), () -> {
                if (finish(in)) {
                    drive();
                }
            });
            return;
        }
        waited = true;
        ahead = behind.ahead();
        ClaimAnswer.Busy answer = new ClaimAnswer.Busy(behind.holder(), kept, queued ? ahead : 0);
        if (!queued) {
            refusal = answer;
            leave(Duration.ZERO);
            return;
        }
        watched = behind.last();
        if (behind.isNextAfterKeep() && kept != null) {
            keptUntil = time.nanos() + kept.toNanos();
        }
        arm();
        askers.answer(answer);
        drive();
    }

    private Watcher listenTo(Session in, String path) {
        if (!path.equals(listensTo)) {
            stopListening();
        }
        listensTo = path;
        return in.watches.on(path, listener);
    }

    private void stopListening() {
        Session in = session;
        String path = listensTo;
        if (in != null && path != null) {
            in.watches.forget(path, listener);
        }
        listensTo = null;
    }

    private void predecessorChanged(WatchedEvent event) {
        String last = watched;
        if (over || last == null || !(parent + '/' + last).equals(event.getPath())) {
            return;
        }
        watched = null;
        if (event.getType() == EventType.NodeDeleted) {
            gone = last;
        }
        drive();
    }

    private void follow(Session in, String left) {
        begin();
        lineup.follow(in, left, child(), event -> locks.turn(() -> ownChanged(in, event)), view -> {
            if (finish(in)) {
                if (view instanceof Lineup.First || view instanceof Lineup.Unsaid) {
                    ownWatched = true;
                    gone = null;
                }
                seen(in, view);
            }
        });
    }

    private void check(Session in, String last) {
        if (last.startsWith(NodeName.KEEP)) {
            watched = null;
            look(in, true);
            return;
        }
        begin();
        lineup.check(in, last, ahead, view -> {
            boolean stillWatched = watched != null;
            if (finish(in)) {
                seen(in, view);
                if (!stillWatched && !over) {
                    // The watch has fired meanwhile: what was seen is older than that.
                    watched = null;
                    drive();
                }
            }
        });
    }

    // ---- the lease -----------------------------------------------------------------------------------------------

    private void grant() {
        try {
            token = Tokens.of(czxid, claim.lock());
        } catch (LockException e) {
            refuse(e);
            return;
        }
        granted = true;
        long now = time.nanos();
        grantedAt = now;
        List<CompletableFuture<ClaimAnswer>> all = askers.takeAll();
        if (all.isEmpty()) {
            end = now + WaitingRules.claimPeriod(claim.lease()).toNanos();
            arm();
            locks.context().signals().granted(lease(), Tokens.spare(claim), null);
            return;
        }
        end = now;
        all.forEach(this::confirmGrant);
    }

    private LeaseId lease() {
        return new LeaseId(claim.lock(), claim.id(), token);
    }

    private void confirmGrant(CompletableFuture<ClaimAnswer> asker) {
        Session in = session();
        Validity known = in.validity();
        long now = time.nanos();
        boolean first = !answered;
        answered = true;
        if (known != null && known.nanosLeft(now) >= in.timeout().toNanos() / 3) {
            lastUntil((first && !waited ? known.sentAt().nanos() : now) + nanos(claim.lease()));
            tell(within(known));
            asker.complete(grantUntil(within(known)));
            return;
        }
        lastUntil(now + nanos(claim.lease()));
        confirm(asker, validity -> asker.complete(grantUntil(validity)), () -> locks.claim(claim, asker));
    }

    private ClaimAnswer grantUntil(Validity validity) {
        return new ClaimAnswer.Granted(lease(), Tokens.spare(claim), validity);
    }

    private void tell(Validity validity) {
        told = validity.deadline() - told > 0 ? validity.deadline() : told;
    }

    /** No longer than the session is proven to live, and no longer than the lease lasts. */
    private Validity within(Validity validity) {
        long left = end - validity.sentAt().nanos();
        Validity byLease = Validity.of(validity.sentAt(), Duration.ofNanos(Math.max(0, left)));
        return byLease.deadline() - validity.deadline() < 0 ? byLease : validity;
    }

    private void confirm(CompletableFuture<?> asker, Consumer<Validity> then, Runnable otherwise) {
        Session in = session();
        locks.heart(in).beat(alive -> {
            if (!alive || over || leaving || !granted || session != in) {
                otherwise.run();
                return;
            }
            Validity validity = in.validity();
            if (validity == null) {
                asker.completeExceptionally(new StoreUnavailableException(
                        "the session with " + locks
                                + " cannot be relied on yet: this machine slept, or a clock was set. "
                                + "It is confirmed within a third of the session time-out; whether '" + claim.lock()
                                + "' is held is unknown until then",
                        locks.toString(),
                        Outcome.UNKNOWN,
                        null));
                return;
            }
            Validity lasting = within(validity);
            tell(lasting);
            then.accept(lasting);
        });
    }

    /** The session was confirmed, for whatever reason: the client is told, where that is news. */
    void confirmed() {
        Session in = session;
        Validity validity = in == null || !granted || leaving || !answered ? null : in.validity();
        if (in != null && validity != null) {
            Validity lasting = within(validity);
            if (lasting.deadline() - told >= in.timeout().toNanos() / 6) {
                told = lasting.deadline();
                locks.context().signals().granted(lease(), Tokens.spare(claim), lasting);
            }
        }
    }

    /** Looked at now and then. */
    void sweep() {
        if (granted && !leaving && !ownWatched && time.nanos() - grantedAt >= WATCHED_AFTER_NANOS) {
            watchOwn();
        }
    }

    private void watchOwn() {
        Session in = session();
        if (ownWatched || locks.ready() != in) {
            return;
        }
        ownWatched = true;
        own.watch(in, child(), event -> ownChanged(in, event), code -> {
            if (over || session != in) {
                return;
            }
            if (code == Code.NONODE) {
                ownGone();
            } else if (code != Code.OK) {
                ownWatched = false;
            }
        });
    }

    private void ownChanged(Session in, WatchedEvent event) {
        if (over || session != in || event.getType() == EventType.None) {
            return;
        }
        ownWatched = false;
        if (event.getType() == EventType.NodeDeleted) {
            ownGone();
        } else if (granted) {
            watchOwn();
        }
    }

    /** Somebody has deleted our node. While we delete it ourselves, that is no news. */
    private void ownGone() {
        if (granted && !leaving) {
            nodeGone();
        } else if (!granted) {
            watched = null;
            drive();
        }
    }

    // ---- time, and the session -----------------------------------------------------------------------------------

    private long aliveNanos() {
        return WaitingRules.aliveFor(claim.lease()).toNanos();
    }

    private void lastUntil(long until) {
        end = until - end > 0 ? until : end;
        arm();
    }

    private void arm() {
        long due = end;
        if (waitsForKeep()) {
            due = earlier(due, keptUntil);
        }
        TimeSource.Timer armed = timer;
        if (armed != null) {
            if (timerAt - due <= 0) {
                return;
            }
            armed.cancel();
        }
        timerAt = due;
        timer = time.schedule(Duration.ofNanos(due - time.nanos()), () -> locks.turn(this::wake));
    }

    private boolean waitsForKeep() {
        String last = watched;
        return last != null && last.startsWith(NodeName.KEEP);
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }

    private void wake() {
        timer = null;
        if (over || leaving) {
            return;
        }
        long now = time.nanos();
        if (now - end >= 0) {
            askers.forgetDone();
            if (granted || askers.isEmpty()) {
                runOut();
                return;
            }
            end = now + aliveNanos();
        } else if (waitsForKeep() && now - keptUntil >= 0) {
            watched = null;
            drive();
        }
        if (!over && !leaving) {
            arm();
        }
    }

    /** The session is over, and whatever it owned is not ours any more. A waiter waits on in the next one. */
    void sessionOver(Session ended) {
        if (over || session != ended || node == Node.NONE) {
            return;
        }
        NodeName left = name;
        locks.adopt(new Orphan(
                locks,
                parent,
                claim.id(),
                node == Node.THERE && left != null ? left.name() : null,
                ended.id,
                granted ? told : time.nanos()));
        node = Node.NONE;
        stopListening();
        session = null;
        busy = false;
        watched = null;
        gone = null;
        ownWatched = false;
        if (granted && !leaving) {
            lost();
        } else {
            granted = false;
            drive();
        }
    }

    // ---- small things --------------------------------------------------------------------------------------------

    private Session session() {
        return Objects.requireNonNull(session, "the session of a place that has a node");
    }

    private NodeName mine() {
        return Objects.requireNonNull(name, "the name of a node that is there");
    }

    private String child() {
        return mine().name();
    }

    /** Far beyond every session, and small enough for differences of nanoseconds not to overflow. */
    private static long nanos(Duration duration) {
        Duration most = Duration.ofDays(36_500);
        return duration.compareTo(most) > 0 ? most.toNanos() : duration.toNanos();
    }
}
