package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClaimAnswer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * The step in which a claim's node stands in the queue, until its {@link Place} lets it in.
 *
 * <p>Why no wake-up is lost. A waiter watches the node that is in its way ({@link Place#blocker}) by reading it: if it is not
 * there any more, that is known at once. While it is there, the claim cannot hold, whatever others do; so nothing else need be
 * watched. When it goes, the lock's own node says whether it was a writer's that has released the lock, written in the same
 * transaction. Then we have it: that writer had it alone, so nobody is left before it, and between it and us are none, or
 * readers like us. Otherwise we list again. So a hand-over costs the same however many wait.
 */
final class Waiting implements ClaimStep {

    private final ClaimState claim;
    private final QueueView queue;
    private final OwnNode mine;
    private final Consumer<WatchedEvent> listener = this::predecessorChanged;
    private @Nullable Session listensIn;
    private @Nullable String listensTo;
    private @Nullable String watched;
    private @Nullable String gone;
    private int ahead;
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
        } else if (watched == null) {
            look(in, false);
        } else if (!claim.callers.isEmpty()) {
            check(in, watched);
        }
    }

    /** The listing that was sent beside the creation was answered. */
    void listed(Session in, Code code, @Nullable List<String> children) {
        claim.requests.goOn();
        newLook(in).listed(code, children);
    }

    private QueueView.Look newLook(Session in) {
        return queue
        .new Look(
                in,
                mine.name(),
                mine.czxid(),
                claim.isQueued() ? path -> listenTo(in, path) : null,
                view -> finishWith(in, view));
    }

    private void look(Session in, boolean afterAll) {
        claim.requests.begin();
        newLook(in).list(afterAll);
    }

    private void finishWith(Session in, QueueView.View view) {
        if (claim.requests.finish(in)) {
            seen(in, view);
        }
    }

    /** Goes on with what a look has shown. */
    void seen(Session in, QueueView.View view) {
        if (claim.isLeaving() || view instanceof QueueView.Unsaid) {
            claim.drive();
        } else if (view instanceof QueueView.First) {
            claim.grant();
        } else if (view instanceof QueueView.Behind behind) {
            behind(in, behind);
        } else if (view instanceof QueueView.Gone left) {
            watched = null;
            gone = left.last();
            claim.drive();
        } else if (view instanceof QueueView.Failed failed) {
            claim.failed(in, failed.code(), "the claim");
        } else if (view instanceof QueueView.Newer newer) {
            claim.refuse(newer.why());
        } else {
            claim.nodeGone();
        }
    }

    private void behind(Session in, QueueView.Behind behind) {
        Duration kept = behind.kept();
        if (behind.isNextAfterKeep() && kept != null && kept.isZero()) {
            claim.requests.goOn();
            claim.own.removeKept(in, behind.last(), () -> {
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
        watched = behind.last();
        if (behind.isNextAfterKeep() && kept != null) {
            keptUntil = claim.time.nanos() + kept.toNanos();
        }
        claim.timer.arm();
        claim.callers.answer(new ClaimAnswer.Busy(behind.holder(), behind.timeLeft(), ahead));
        claim.drive();
    }

    private Watcher listenTo(Session in, String path) {
        if (!path.equals(listensTo)) {
            stop();
        }
        listensIn = in;
        listensTo = path;
        return in.watches.on(path, listener);
    }

    @Override
    public void stop() {
        Session in = listensIn;
        String path = listensTo;
        if (in != null && path != null) {
            in.watches.forget(path, listener);
        }
        listensTo = null;
    }

    private void predecessorChanged(WatchedEvent event) {
        String last = watched;
        if (claim.requests.areOver() || last == null || !(claim.parent + '/' + last).equals(event.getPath())) {
            return;
        }
        watched = null;
        if (event.getType() == EventType.NodeDeleted) {
            gone = last;
        }
        claim.drive();
    }

    private void follow(Session in, String left) {
        claim.requests.begin();
        Watcher ownChanged = event -> claim.locks.execute(() -> claim.ownWatch.happened(in, event));
        queue.follow(in, left, mine.child(), ownChanged, view -> {
            if (claim.requests.finish(in)) {
                if (view instanceof QueueView.First || view instanceof QueueView.Unsaid) {
                    claim.ownWatch.wasSet();
                    gone = null;
                }
                seen(in, view);
            }
        });
    }

    private void check(Session in, String last) {
        if (NodeName.isKept(last)) {
            watched = null;
            look(in, true);
            return;
        }
        claim.requests.begin();
        queue.check(in, last, ahead, view -> {
            boolean stillWatched = watched != null;
            if (claim.requests.finish(in)) {
                seen(in, view);
                if (!stillWatched && !claim.requests.areOver()) {
                    // The watch has fired meanwhile: what was seen is older than that.
                    watched = null;
                    claim.drive();
                }
            }
        });
    }

    /** The next look will show it. */
    @Override
    public void ownGone() {
        lookAgain();
    }

    private void lookAgain() {
        watched = null;
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
        String last = watched;
        return last != null && NodeName.isKept(last);
    }
}
