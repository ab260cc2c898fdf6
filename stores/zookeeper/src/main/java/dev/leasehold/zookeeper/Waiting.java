package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Waiting is the step in which a claim's node stands in the queue, until its {@link Place} lets it in.
 *
 * <p>Why no wake-up is lost. A waiter watches the nodes that say when it can hold ({@link Place#watched}) by reading them: if one is
 * not there any more, that is known at once.
 *
 * <ul>
 *   <li><b>One that is in its way.</b> While it is there, the claim cannot hold, whatever others do; so nothing else need be
 *       watched. A writer that becomes a reader writes its node; one that was read after that says so. When it goes, the
 *       lock's own node says whether it was a writer's that has released the lock, written in the same
 *       transaction. Then we have it: that writer had it alone, so nobody is left before it, and between it and us are none, or
 *       readers like us. Otherwise we list again. So a hand-over costs the same however many wait.
 *   <li><b>All holders</b>, if it is the first that waits: nobody else can make room. A release wakes it alone.
 *   <li><b>The one before it</b>, if that waits as well: while that waits, nobody behind it can hold. It writes its node when it
 *       is let in; one that was read after that says so. It may be slow to do it, or stopped. So a waiter also looks at the
 *       whole queue when it asks again, the oftener the nearer it is to the front.
 * </ul>
 */
final class Waiting implements ClaimStep {

    /** So many of those that watch the one before them look at the whole queue each time that they ask again. */
    private static final int OFTEN = 16;

    private final ClaimState claim;
    private final QueueView queue;
    private final OwnNode mine;
    private final Consumer<WatchedEvent> listener = this::watchedChanged;
    private final Set<String> listensTo = new HashSet<>();
    private @Nullable Session listensIn;
    private List<String> watched = List.of();
    private @Nullable Place place;
    private @Nullable String gone;
    private @Nullable String keeper;
    private boolean changedMeanwhile;
    private boolean hasLooked;
    private boolean mayBeAwaited;
    private int ahead;
    private int checks;
    private long keptUntil;

    Waiting(ClaimState claim, OwnNode mine) {
        this.claim = claim;
        this.queue = new QueueView(claim.locks.executor(), claim.parent);
        this.mine = mine;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public void drive(Session in) {
        String left = gone;
        if (left != null) {
            follow(in, left);
        } else if (watched.isEmpty()) {
            look(in, false);
        } else if (!claim.callers.isEmpty()) {
            check(in);
        }
    }

    /** Handles the answer to the listing that was sent beside the creation. */
    void listed(Session in, Listing listing) {
        claim.requests.goOn();
        newLook(in).listed(listing);
    }

    private QueueView.Look newLook(Session in) {
        changedMeanwhile = false;
        return queue
        .new Look(
                in,
                mine.name(),
                mine.czxid(),
                claim.isQueued() ? path -> listenTo(in, path) : null,
                this::placed,
                view -> finishWith(in, view));
    }

    private void look(Session in, boolean afterAll) {
        claim.requests.begin();
        watched = List.of();
        newLook(in).list(afterAll);
    }

    /**
     * Notes whether a claim behind may wait for ours to say that it was let in ({@link Place.Watch#PREDECESSOR}). Such a claim has
     * seen a permit before ours. Nodes before ours only go; so it has come before our last look that showed a permit, or before
     * our first, which may be late.
     */
    private void placed(Place at, boolean isFollowed) {
        boolean mayHaveMissed = !hasLooked && isFollowed;
        hasLooked = true;
        mayBeAwaited |= !claim.isExclusive() && (mayHaveMissed || at.hasPermits());
    }

    private void finishWith(Session in, View view) {
        if (claim.requests.finish(in)) {
            seen(in, view);
        }
    }

    /** Goes on with the result of a look. */
    void seen(Session in, View view) {
        if (claim.isLeaving()) {
            claim.drive();
        } else if (view instanceof View.Unsaid) {
            lookAgain();
        } else if (view instanceof View.First first) {
            tell(in, first.isFollowed() && mayBeAwaited);
            claim.grant(Grant.NO_SLOT);
        } else if (view instanceof View.Permit permit) {
            takeSlot(in, permit);
        } else if (view instanceof View.Behind behind) {
            behind(in, behind);
        } else if (view instanceof View.Gone left) {
            place = left.place() == null ? place : left.place();
            gone(left.last());
            claim.drive();
        } else if (view instanceof View.Failed failed) {
            claim.failed(in, failed.code(), "the claim");
        } else if (view instanceof View.Newer newer) {
            claim.refuse(newer.why());
        } else {
            claim.nodeGone();
        }
    }

    private void gone(String left) {
        watched = List.of();
        Place seen = place;
        gone = seen != null && seen.followsItsObstacle() ? left : null;
    }

    private void behind(Session in, View.Behind behind) {
        Duration kept = behind.kept();
        keeper = behind.keeper();
        if (keeper != null && kept != null && kept.isZero()) {
            claim.requests.goOn();
            claim.own.removeKept(in, keeper, () -> {
                if (claim.requests.finish(in)) {
                    claim.drive();
                }
            });
            return;
        }
        ahead = behind.ahead();
        claim.waited = true;
        if (!claim.isQueued()) {
            claim.leaveAs(new ClaimAnswer.Busy(behind.holder(), behind.timeLeft(), 0));
            return;
        }
        // A single node is read last of all: an event of a later change follows the answer.
        boolean isOld = changedMeanwhile && behind.watched().size() > 1;
        watched = isOld ? List.of() : behind.watched();
        if (behind.place() != null) {
            place = behind.place();
            listenOnlyToWatched(in);
        }
        if (keeper != null && kept != null) {
            keptUntil = claim.time.nanos() + kept.toNanos();
        }
        claim.timer.arm();
        claim.callers.answer(new ClaimAnswer.Busy(behind.holder(), behind.timeLeft(), ahead));
        claim.drive();
    }

    // ---- the slot of a permit ------------------------------------------------------------------------------------

    private void takeSlot(Session in, View.Permit permit) {
        int slot = permit.table().of(mine.child());
        if (permit.isWritten()) {
            tell(in, permit.isFollowed());
            claim.grant(slot);
            return;
        }
        claim.requests.goOn();
        ClockReading sentAt = claim.time.now();
        byte @Nullable [] news = permit.isFollowed() ? claim.own.news(claim.claim()) : null;
        claim.own.takeSlot(in, mine.child(), permit.table(), news, code -> {
            if (claim.requests.finish(in)) {
                tookSlot(in, code, slot, sentAt);
            }
        });
    }

    private void tookSlot(Session in, Code code, int slot, ClockReading sentAt) {
        switch (code) {
            case OK -> {
                in.written(sentAt, null);
                if (claim.isLeaving()) {
                    claim.drive();
                } else {
                    claim.grant(slot);
                }
            }
            // Somebody else has written the table since, perhaps with our slot in it.
            case BADVERSION -> claim.drive();
            case NONODE -> seen(in, new View.Missing());
            default -> claim.failed(in, code, "the claim");
        }
    }

    /** Wakes the next, which waits for us to be let in. If that gets lost, it finds out by itself when it asks again. */
    private void tell(Session in, boolean isAwaited) {
        if (isAwaited) {
            claim.own.write(in, mine.child(), claim.own.news(claim.claim()), code -> {});
        }
    }

    // ---- watches -------------------------------------------------------------------------------------------------

    private Watcher listenTo(Session in, String path) {
        listensIn = in;
        listensTo.add(path);
        return in.watches.on(path, listener);
    }

    private void listenOnlyToWatched(Session in) {
        Set<String> others = new HashSet<>(listensTo);
        watched.forEach(each -> others.remove(claim.parent + '/' + each));
        others.forEach(path -> in.watches.forget(path, listener));
        listensTo.removeAll(others);
    }

    @Override
    public void stop() {
        Session in = listensIn;
        if (in != null) {
            listensTo.forEach(path -> in.watches.forget(path, listener));
        }
        listensTo.clear();
    }

    private void watchedChanged(WatchedEvent event) {
        if (claim.requests.areOver()) {
            return;
        }
        String path = String.valueOf(event.getPath());
        String name = path.substring(Math.min(path.length(), claim.parent.length() + 1));
        if (!watched.contains(name)) {
            // Perhaps a look is under way that has read this node already.
            changedMeanwhile = true;
            return;
        }
        watched = List.of();
        if (event.getType() == EventType.NodeDeleted) {
            gone(name);
        }
        claim.drive();
    }

    private void follow(Session in, String left) {
        claim.requests.begin();
        queue.follow(in, left, mine.child(), view -> {
            if (claim.requests.finish(in)) {
                if (view instanceof View.First || view instanceof View.Unsaid) {
                    gone = null;
                }
                seen(in, view);
            }
        });
    }

    private void check(Session in) {
        if (keeper != null || looksAtAll()) {
            look(in, true);
            return;
        }
        claim.requests.begin();
        queue.check(in, watched.get(0), mine.name(), ahead, view -> {
            boolean stillWatched = !watched.isEmpty();
            if (claim.requests.finish(in)) {
                seen(in, view);
                if (!stillWatched && !claim.requests.areOver()) {
                    // The watch has fired meanwhile: what was seen is older than that.
                    lookAgain();
                }
            }
        });
    }

    private boolean looksAtAll() {
        Place seen = place;
        if (seen == null) {
            return true;
        }
        return switch (seen.watch()) {
            case OBSTACLE -> false;
            case HOLDERS -> true;
            case PREDECESSOR -> ++checks % (1 + ahead / OFTEN) == 0;
        };
    }

    private void lookAgain() {
        watched = List.of();
        claim.drive();
    }

    @Override
    public long dueBefore(long end) {
        return waitsForKeep() && keptUntil - end < 0 ? keptUntil : end;
    }

    /** Looks again if the time of a kept lock is over. */
    @Override
    public void wake(long now) {
        if (waitsForKeep() && now - keptUntil >= 0) {
            lookAgain();
        }
    }

    private boolean waitsForKeep() {
        return keeper != null && !watched.isEmpty();
    }
}
