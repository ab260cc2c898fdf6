package dev.leasehold.zookeeper;

import dev.leasehold.HolderInfo;
import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A view of the queue of a lock, from the place of one node in it. It only asks and reports, within serial; {@link Waiting}
 * decides what follows.
 */
final class QueueView {

    /** The result of a look. */
    sealed interface View {}

    /** Our node has the lock: it is the first, or all before it share with it. */
    record First() implements View {}

    /**
     * Another node is in our way.
     *
     * @param last that node ({@link Place#blocker}), watched if that was asked for
     * @param ahead our place among those who wait
     * @param holder the first of the queue, where it was looked at
     * @param kept for how long that first one keeps the lock, if it is such a node
     * @param isOnly whether no other holder is in our way
     */
    record Behind(
            String last,
            int ahead,
            @Nullable HolderInfo holder,
            @Nullable Duration kept,
            boolean isOnly) implements View {

        /** Whether only a kept lock is before us, so that its end is ours to see to. */
        boolean isNextAfterKeep() {
            return NodeName.isKept(last);
        }

        /** When we would be let in if nobody renewed, as far as it is known. */
        @Nullable Duration timeLeft() {
            return isOnly ? kept : null;
        }
    }

    /** The node that was in our way has gone. */
    record Gone(String last) implements View {}

    /** It cannot be said without a listing. */
    record Unsaid() implements View {}

    /** Our own node is not there. */
    record Missing() implements View {}

    /** The servers have not answered, or refused. */
    record Failed(Code code) implements View {}

    /** A newer version of the library works here. */
    record Newer(LockException why) implements View {}

    private final SerialExecutor serial;
    private final String parent;

    QueueView(SerialExecutor serial, String parent) {
        this.serial = serial;
        this.parent = parent;
    }

    /** One look, from our place. */
    final class Look {

        private final Session in;
        private final NodeName mine;
        private final long czxid;
        private final @Nullable Function<String, Watcher> watching;
        private final Consumer<View> then;

        Look(Session in, NodeName mine, long czxid, @Nullable Function<String, Watcher> watching, Consumer<View> then) {
            this.in = in;
            this.mine = mine;
            this.czxid = czxid;
            this.watching = watching;
            this.then = then;
        }

        void list(boolean afterAll) {
            if (afterAll) {
                in.handle.sync(parent, (rc, p, ctx) -> {}, null);
            }
            in.handle.getChildren(
                    parent,
                    false,
                    (rc, p, ctx, children) -> serial.execute(() -> listed(Codes.of(rc), children)),
                    null);
        }

        void listed(Code code, @Nullable List<String> children) {
            if (code == Code.NONODE) {
                then.accept(new Missing());
            } else if (code != Code.OK || children == null) {
                then.accept(new Failed(code));
            } else if (!children.contains(mine.name())) {
                then.accept(new Missing());
            } else {
                order(children);
            }
        }

        private void order(List<String> children) {
            List<NodeName> all;
            try {
                all = NodeName.claims(children, parent);
            } catch (LockException e) {
                then.accept(new Newer(e));
                return;
            }
            List<String> kept = children.stream().filter(NodeName::isKept).toList();
            if (NodeName.isWorn(all)) {
                CreationOrder.of(
                        in.handle,
                        parent,
                        all,
                        czxid,
                        (code, before) -> serial.execute(() -> ordered(code, kept, before)));
                return;
            }
            List<String> before = all.stream()
                    .filter(each -> each.isBefore(mine))
                    .sorted(Comparator.comparingInt(each -> each.sequence() - mine.sequence()))
                    .map(NodeName::name)
                    .toList();
            ordered(Code.OK, kept, before);
        }

        private void ordered(Code code, List<String> kept, List<String> before) {
            List<String> ahead = new ArrayList<>(kept);
            ahead.addAll(before);
            if (code != Code.OK) {
                then.accept(new Failed(code));
                return;
            }
            Place place = new Place(ahead, mine.share());
            if (place.holds()) {
                then.accept(new First());
            } else {
                read(place);
            }
        }

        private void read(Place place) {
            String last = place.blocker();
            String first = NodeName.isKept(last) ? last : place.before().get(0);
            int ahead = place.amongWaiters();
            boolean isOnly = place.isForOneHolder();
            Behind[] seen = {new Behind(last, ahead, null, null, false)};
            if (!first.equals(last)) {
                in.handle.getData(
                        parent + '/' + first,
                        false,
                        (rc, p, ctx, data, stat) -> serial.execute(() -> {
                            if (Codes.of(rc) == Code.OK) {
                                seen[0] = behind(in, last, ahead, first, data, stat, isOnly);
                            }
                        }),
                        null);
            }
            in.handle.getData(
                    parent + '/' + last,
                    watching == null ? null : watching.apply(parent + '/' + last),
                    (rc, p, ctx, data, stat) -> serial.execute(() -> {
                        Code code = Codes.of(rc);
                        if (code == Code.NONODE) {
                            then.accept(new Gone(last));
                        } else if (code != Code.OK) {
                            then.accept(new Failed(code));
                        } else if (first.equals(last)) {
                            then.accept(behind(in, last, ahead, first, data, stat, isOnly));
                        } else {
                            then.accept(seen[0]);
                        }
                    }),
                    null);
        }
    }

    private static Behind behind(
            Session in, String last, int ahead, String first, byte @Nullable [] data, Stat stat, boolean isOnly) {
        int share = NodeName.shareOf(first);
        if (NodeName.isKept(first)) {
            NodeData.Keep keep = NodeData.Keep.read(data);
            Duration left = in.untilOlder(stat, keep.millis());
            return new Behind(last, ahead, holder("", keep.token(), share, left), left, isOnly);
        }
        String owner = NodeData.Owner.read(data).owner();
        return new Behind(last, ahead, holder(owner, stat.getCzxid() << 6, share, null), null, isOnly);
    }

    private static HolderInfo holder(String owner, long token, int share, @Nullable Duration left) {
        return new HolderInfo(owner, token, share, OptionalInt.empty(), null, null, left);
    }

    /**
     * The node that was in our way has gone. If it was a writer's that has released the lock, we have it now; that is written
     * in the lock's own node. Our own node is watched from now on.
     */
    void follow(Session in, String left, String mine, Watcher own, Consumer<View> then) {
        String[] mark = new String[1];
        in.handle.getData(
                parent,
                false,
                (rc, p, ctx, data, stat) -> mark[0] = data == null ? "" : new String(data, StandardCharsets.UTF_8),
                null);
        in.handle.getData(
                parent + '/' + mine,
                own,
                (rc, p, ctx, data, stat) -> serial.execute(() -> {
                    Code code = Codes.of(rc);
                    if (code == Code.NONODE) {
                        then.accept(new Missing());
                    } else if (code != Code.OK) {
                        then.accept(new Failed(code));
                    } else {
                        then.accept(left.equals(mark[0]) ? new First() : new Unsaid());
                    }
                }),
                null);
    }

    /** Whether the one in our way is still there, by all that was done before the question. */
    void check(Session in, String last, int ahead, Consumer<View> then) {
        in.handle.sync(parent, (rc, p, ctx) -> {}, null);
        in.handle.getData(
                parent + '/' + last,
                false,
                (rc, p, ctx, data, stat) -> serial.execute(() -> {
                    Code code = Codes.of(rc);
                    if (code == Code.NONODE) {
                        then.accept(new Gone(last));
                    } else if (code != Code.OK) {
                        then.accept(new Failed(code));
                    } else {
                        then.accept(
                                ahead == 1
                                        ? behind(in, last, ahead, last, data, stat, true)
                                        : new Behind(last, ahead, null, null, false));
                    }
                }),
                null);
    }
}
