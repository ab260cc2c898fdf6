package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A queue view is that of the queue of a lock, from the place of one node in it. It only asks and reports, in
 * the serial executor; {@link Waiting} decides what follows.
 */
final class QueueView {

    /** A placed callback receives the place that a listing has shown, before the view that follows from it. */
    interface Placed {

        /**
         * Called in the serial executor.
         *
         * @param isFollowed whether claims are behind ours
         */
        void at(Place place, boolean isFollowed);
    }

    private final SerialExecutor serial;
    private final String parent;

    QueueView(SerialExecutor serial, String parent) {
        this.serial = serial;
        this.parent = parent;
    }

    /** A look is taken once, from our place. */
    final class Look {

        private final Session in;
        private final NodeName mine;
        private final long czxid;
        private final @Nullable Function<String, Watcher> watching;
        private final Placed placed;
        private final Consumer<View> then;

        Look(
                Session in,
                NodeName mine,
                long czxid,
                @Nullable Function<String, Watcher> watching,
                Placed placed,
                Consumer<View> then) {
            this.in = in;
            this.mine = mine;
            this.czxid = czxid;
            this.watching = watching;
            this.placed = placed;
            this.then = then;
        }

        void list(boolean afterAll) {
            if (afterAll) {
                in.handle.sync(parent, (rc, p, ctx) -> {}, null);
            }
            Listing.of(serial, in, parent, Claim.hasSlots(mine.share()), this::listed);
        }

        void listed(Listing listing) {
            if (listing.code() == Code.NONODE) {
                then.accept(new View.Missing());
            } else if (listing.code() != Code.OK) {
                then.accept(new View.Failed(listing.code()));
            } else if (!listing.children().contains(mine.name())) {
                then.accept(new View.Missing());
            } else {
                order(listing);
            }
        }

        private void order(Listing listing) {
            List<NodeName> all;
            try {
                all = listing.claims(parent);
            } catch (LockException e) {
                then.accept(new View.Newer(e));
                return;
            }
            if (NodeName.isWorn(all)) {
                CreationOrder.of(
                        in.handle,
                        parent,
                        all,
                        czxid,
                        (code, before) -> serial.execute(() -> ordered(code, listing, all, before)));
                return;
            }
            List<String> before = all.stream()
                    .filter(each -> each.isBefore(mine))
                    .sorted(Comparator.comparingInt(each -> each.sequence() - mine.sequence()))
                    .map(NodeName::name)
                    .toList();
            ordered(Code.OK, listing, all, before);
        }

        private void ordered(Code code, Listing listing, List<NodeName> all, List<String> before) {
            List<String> ahead = new ArrayList<>(listing.kept());
            ahead.addAll(before);
            if (code != Code.OK) {
                then.accept(code == Code.NONODE ? new View.Unsaid() : new View.Failed(code));
                return;
            }
            Place place = new Place(listing.withShares(ahead), mine.share());
            SlotTable slots = listing.slots();
            boolean isFollowed = all.size() > before.size() + 1;
            placed.at(place, isFollowed);
            if (!place.holds()) {
                read(place, slots);
                return;
            }
            if (slots == null) {
                then.accept(new View.First(isFollowed));
            } else if (slots.of(mine.name()) != Grant.NO_SLOT) {
                then.accept(new View.Permit(slots, true, isFollowed));
            } else {
                Place.Node own = new Place.Node(mine.name(), mine.share());
                then.accept(new View.Permit(slots.giving(place.before(), own), false, isFollowed));
            }
        }

        private void read(Place place, @Nullable SlotTable slots) {
            if (place.watch() == Place.Watch.HOLDERS) {
                new HolderReads(this, place, slots).send();
                return;
            }
            String last = place.watched().get(0);
            Place.Node holder = place.before().get(0);
            if (NodeName.isKept(last)) {
                holder = new Place.Node(last, NodeName.shareOf(last));
            }
            Place.Node seen = holder.name().equals(last) ? holder : null;
            in.handle.getData(
                    parent + '/' + last,
                    watching == null ? null : watching.apply(parent + '/' + last),
                    (rc, p, ctx, data, stat) -> serial.execute(() -> {
                        Code code = Codes.of(rc);
                        if (code == Code.NONODE) {
                            then.accept(new View.Gone(last, place));
                        } else if (code != Code.OK) {
                            then.accept(new View.Failed(code));
                        } else if (isNews(mine, data)) {
                            then.accept(new View.Unsaid());
                        } else {
                            then.accept(behind(in, place, slots, seen, data, stat));
                        }
                    }),
                    null);
        }
    }

    /**
     * Holder reads are those of all holders, for the first that waits; for a single try, those that may have to be
     * removed.
     */
    private final class HolderReads {

        private final Look look;
        private final Place place;
        private final @Nullable SlotTable slots;
        private View.@Nullable Behind seen;
        private @Nullable View failed;
        private int missing;

        HolderReads(Look look, Place place, @Nullable SlotTable slots) {
            this.look = look;
            this.place = place;
            this.slots = slots;
        }

        void send() {
            Place.Node first = place.before().get(0);
            List<Place.Node> reads = place.before().stream()
                    .filter(each -> look.watching != null || each.equals(first) || NodeName.isKept(each.name()))
                    .toList();
            missing = reads.size();
            for (Place.Node each : reads) {
                String path = parent + '/' + each.name();
                look.in.handle.getData(
                        path,
                        look.watching == null ? null : look.watching.apply(path),
                        (rc, p, ctx, data, stat) -> serial.execute(() -> add(each, Codes.of(rc), data, stat)),
                        null);
            }
        }

        private void add(Place.Node node, Code code, byte @Nullable [] data, @Nullable Stat stat) {
            if (code == Code.NONODE) {
                failed = failed instanceof View.Failed ? failed : new View.Unsaid();
            } else if (code != Code.OK || stat == null) {
                failed = new View.Failed(code);
            } else {
                View.Behind next = behind(look.in, place, slots, node, data, stat);
                Duration kept = next.kept();
                View.Behind sofar = seen;
                Duration least = sofar == null ? null : sofar.kept();
                if (sofar == null) {
                    seen = next;
                } else if (kept != null && (least == null || kept.compareTo(least) < 0)) {
                    seen = new View.Behind(
                            place, next.watched(), next.ahead(), sofar.holder(), kept, next.keeper(), next.isOnly());
                }
            }
            if (--missing == 0) {
                View.Behind all = seen;
                View instead = failed;
                look.then.accept(instead != null ? instead : all != null ? all : new View.Unsaid());
            }
        }
    }

    /**
     * Returns whether a node that we read has said since that it is in our way no more, or waits no more. To writers
     * that makes no difference.
     */
    private static boolean isNews(NodeName mine, byte @Nullable [] data) {
        return mine.share() != Claim.EXCLUSIVE && NodeData.Owner.read(data).isNews();
    }

    private static View.Behind behind(
            Session in,
            Place place,
            @Nullable SlotTable slots,
            Place.@Nullable Node first,
            byte @Nullable [] data,
            @Nullable Stat stat) {
        List<String> watched = place.watched();
        int ahead = place.amongWaiters();
        if (first == null || stat == null) {
            return new View.Behind(place, watched, ahead, null, null, null, false);
        }
        boolean isOnly = place.isForOneHolder();
        if (NodeName.isKept(first.name())) {
            NodeData.Keep keep = NodeData.Keep.read(data);
            Duration left = in.untilOlder(stat, keep.millis());
            HolderInfo holder = holder("", keep.token(), first, NodeName.keptSlot(first.name()), left);
            String keeper = watched.contains(first.name()) ? first.name() : null;
            return new View.Behind(place, watched, ahead, holder, left, keeper, isOnly);
        }
        String owner = NodeData.Owner.read(data).owner();
        int slot = slots == null ? Grant.NO_SLOT : slots.of(first.name());
        HolderInfo holder = holder(owner, stat.getCzxid() << 6, first, slot, null);
        return new View.Behind(place, watched, ahead, holder, null, null, isOnly);
    }

    private static HolderInfo holder(String owner, long token, Place.Node node, int slot, @Nullable Duration left) {
        OptionalInt number = slot == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(slot);
        return new HolderInfo(owner, token, node.share(), number, null, null, left);
    }

    /**
     * Goes on when the node that was in our way has gone. If it was a writer's that has released the lock, we have it
     * now; that is written in the lock's own node. That and ours are read by one request.
     */
    void follow(Session in, String left, String mine, Consumer<View> then) {
        List<Op> both = List.of(Op.getData(parent), Op.getData(parent + '/' + mine));
        AsyncCallback.MultiCallback done = (rc, p, ctx, results) -> serial.execute(() -> {
            // Of several reads the first that failed says so.
            Code code = Codes.of(rc);
            if (code == Code.NONODE) {
                then.accept(new View.Missing());
            } else if (code != Code.OK) {
                then.accept(new View.Failed(code));
            } else {
                byte[] mark = ((OpResult.GetDataResult) results.get(0)).getData();
                then.accept(Arrays.equals(mark, NodeData.text(left)) ? new View.First(true) : new View.Unsaid());
            }
        });
        in.handle.multi(both, done, null);
    }

    /** Asks whether the one in our way is still there, by all that was done before the question. */
    void check(Session in, String last, NodeName mine, int ahead, Consumer<View> then) {
        in.handle.sync(parent, (rc, p, ctx) -> {}, null);
        in.handle.getData(
                parent + '/' + last,
                false,
                (rc, p, ctx, data, stat) -> serial.execute(() -> {
                    Code code = Codes.of(rc);
                    if (code == Code.NONODE) {
                        then.accept(new View.Gone(last, null));
                    } else if (code != Code.OK) {
                        then.accept(new View.Failed(code));
                    } else if (isNews(mine, data)) {
                        then.accept(new View.Unsaid());
                    } else {
                        HolderInfo holder = ahead == 1
                                ? holder(
                                        NodeData.Owner.read(data).owner(),
                                        stat.getCzxid() << 6,
                                        new Place.Node(last, NodeName.shareOf(last)),
                                        Grant.NO_SLOT,
                                        null)
                                : null;
                        then.accept(new View.Behind(null, List.of(last), ahead, holder, null, null, true));
                    }
                }),
                null);
    }
}
