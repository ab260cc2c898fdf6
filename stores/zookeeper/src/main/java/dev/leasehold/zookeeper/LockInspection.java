package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.NamePattern;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A lock inspection has the operations for people: it lists locks, and breaks one. Reads come after a {@code sync}, so
 * what was done before the question is in the answer. Used by tasks of the client's serial executor only.
 */
final class LockInspection {

    /** So many locks are looked at at the same time. */
    private static final int AT_ONCE = 32;

    /** The names of locks are taken to be as long as that, on average, or shorter. */
    private static final int USUAL_BYTES = 100;

    /** A seen node is one node of a lock, with its record. It is compared with nothing. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Seen(Place.Node node, int slot, byte @Nullable [] data, Stat stat) {

        String name() {
            return node.name();
        }

        boolean isKeep() {
            return NodeName.isKept(name());
        }

        long token() {
            return isKeep() ? NodeData.Keep.read(data).token() : stat.getCzxid() << 6;
        }

        int share() {
            return node.share();
        }

        OptionalInt number() {
            return slot == Grant.NO_SLOT ? OptionalInt.empty() : OptionalInt.of(slot);
        }

        long lastToken() {
            return isKeep() ? token() : token() + NodeData.Owner.read(data).spare();
        }
    }

    private final ClientSession client;
    private final Session session;
    private final Consumer<LockException> failed;

    LockInspection(ClientSession client, Session session, Consumer<LockException> failed) {
        this.client = client;
        this.session = session;
        this.failed = failed;
    }

    void list(NamePattern pattern, Consumer<List<LockInfo>> then) {
        String only = pattern.onlyName();
        if (only != null) {
            sync(client.paths().lock(only));
            look(List.of(only), new ArrayList<>(), then);
            return;
        }
        String root = client.paths().locks();
        sync(root);
        session.handle.exists(
                root,
                false,
                (rc, p, ctx, stat) -> client.execute(() -> {
                    Code code = Codes.of(rc);
                    if (code == Code.NONODE) {
                        then.accept(List.of());
                    } else if (code != Code.OK) {
                        fail(code);
                    } else if (stat.getNumChildren() > mostNames()) {
                        failed.accept(tooMany(root, stat.getNumChildren()));
                    } else {
                        list(root, pattern, then);
                    }
                }),
                null);
    }

    private int mostBytes() {
        return session.handle
                .getClientConfig()
                .getInt(ZKConfig.JUTE_MAXBUFFER, ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT);
    }

    /** Returns how many names fit into one answer. A larger one would break the connection that leases depend on. */
    private int mostNames() {
        return mostBytes() / (USUAL_BYTES + Integer.BYTES);
    }

    private LockException tooMany(String root, int names) {
        return new LockException(root + " of " + client + " has " + names + " nodes, and of " + USUAL_BYTES
                + " bytes each only " + mostNames() + " fit into an answer: jute.maxbuffer of this client is "
                + mostBytes() + " bytes. Raise it, list single names, or use namespaces; nothing was done");
    }

    private void list(String root, NamePattern pattern, Consumer<List<LockInfo>> then) {
        session.handle.getChildren(
                root,
                false,
                (rc, p, ctx, children) -> client.execute(() -> {
                    Code code = Codes.of(rc);
                    if (code == Code.NONODE) {
                        then.accept(List.of());
                    } else if (code != Code.OK) {
                        fail(code);
                    } else {
                        List<String> names = children.stream()
                                .map(Paths::decode)
                                .filter(name -> name != null && pattern.matches(name))
                                .sorted()
                                .toList();
                        look(names, new ArrayList<>(), then);
                    }
                }),
                null);
    }

    private void look(List<String> names, List<LockInfo> infos, Consumer<List<LockInfo>> then) {
        if (names.isEmpty()) {
            then.accept(infos);
            return;
        }
        List<String> now = names.subList(0, Math.min(AT_ONCE, names.size()));
        Map<Integer, LockInfo> seen = new TreeMap<>();
        int[] missing = {now.size()};
        for (int i = 0; i < now.size(); i++) {
            int index = i;
            read(client.paths().lock(now.get(i)), nodes -> {
                if (!nodes.isEmpty()) {
                    seen.put(index, info(now.get(index), nodes));
                }
                if (--missing[0] == 0) {
                    infos.addAll(seen.values());
                    look(names.subList(now.size(), names.size()), infos, then);
                }
            });
        }
    }

    private LockInfo info(String name, List<Seen> nodes) {
        List<Seen> holding = holders(nodes);
        List<HolderInfo> holders = holding.stream()
                .sorted(Comparator.comparingLong(Seen::token))
                .map(this::holder)
                .toList();
        List<WaiterInfo> waiters = new ArrayList<>(nodes.size());
        for (Seen node : nodes.subList(holding.size(), nodes.size())) {
            waiters.add(new WaiterInfo(
                    NodeData.Owner.read(node.data()).owner(),
                    waiters.size() + 1,
                    node.share(),
                    Instant.ofEpochMilli(node.stat().getCtime())));
        }
        return new LockInfo(name, holders, waiters, List.of());
    }

    private static List<Seen> holders(List<Seen> nodes) {
        return nodes.subList(0, Place.holders(nodes.stream().map(Seen::node).toList()));
    }

    private HolderInfo holder(Seen node) {
        if (!node.isKeep()) {
            String owner = NodeData.Owner.read(node.data()).owner();
            return new HolderInfo(owner, node.token(), node.share(), node.number(), null, null, null);
        }
        Instant since = Instant.ofEpochMilli(node.stat().getCtime());
        Instant until = since.plusMillis(NodeData.Keep.read(node.data()).millis());
        return new HolderInfo("", node.token(), node.share(), node.number(), since, until, left(node));
    }

    private Duration left(Seen keep) {
        return session.untilOlder(keep.stat(), NodeData.Keep.read(keep.data()).millis());
    }

    /** Ends the lease to whose run the token belongs. */
    void breakLease(String lock, long token, Consumer<Boolean> then) {
        String parent = client.paths().lock(lock);
        sync(parent);
        read(parent, nodes -> {
            Seen held = holders(nodes).stream()
                    .filter(node -> token >= node.token() && token <= node.lastToken())
                    .findFirst()
                    .orElse(null);
            if (held == null) {
                then.accept(false);
                return;
            }
            session.handle.delete(
                    parent + '/' + held.name(),
                    -1,
                    (rc, p, ctx) -> client.execute(() -> {
                        Code code = Codes.of(rc);
                        if (code == Code.OK || code == Code.NONODE) {
                            then.accept(code == Code.OK);
                        } else {
                            fail(code);
                        }
                    }),
                    null);
        });
    }

    /** Reads the nodes of a lock, first come first. */
    private void read(String parent, Consumer<List<Seen>> then) {
        Listing.of(client.executor(), session, parent, true, listing -> {
            if (listing.code() == Code.NONODE) {
                then.accept(List.of());
            } else if (listing.code() != Code.OK) {
                fail(listing.code());
            } else {
                try {
                    readEach(parent, listing, then);
                } catch (LockException e) {
                    failed.accept(e);
                }
            }
        });
    }

    private void readEach(String parent, Listing listing, Consumer<List<Seen>> then) {
        List<String> names = new ArrayList<>();
        listing.claims(parent).forEach(claim -> names.add(claim.name()));
        names.addAll(listing.kept());
        List<Place.Node> ours = listing.withShares(names);
        List<Seen> seen = new ArrayList<>();
        int[] missing = {ours.size()};
        if (ours.isEmpty()) {
            then.accept(seen);
        }
        for (Place.Node each : ours) {
            session.handle.getData(
                    parent + '/' + each.name(),
                    false,
                    (rc, p, ctx, data, stat) -> client.execute(() -> {
                        Code code = Codes.of(rc);
                        if (code == Code.OK) {
                            add(seen, new Seen(each, slot(listing, each.name()), data, stat));
                        } else if (code != Code.NONODE) {
                            fail(code);
                        }
                        if (--missing[0] == 0) {
                            seen.sort(Comparator.comparing((Seen node) -> !node.isKeep())
                                    .thenComparingLong(node -> node.stat().getCzxid()));
                            then.accept(seen);
                        }
                    }),
                    null);
        }
    }

    private static int slot(Listing listing, String name) {
        SlotTable slots = listing.slots();
        return NodeName.isKept(name) ? NodeName.keptSlot(name) : slots == null ? Grant.NO_SLOT : slots.of(name);
    }

    /**
     * Adds a node, unless it kept the lock until now: then the lock is kept no more, whether or not the node has been
     * deleted.
     */
    private void add(List<Seen> seen, Seen node) {
        if (!node.isKeep() || !left(node).isZero()) {
            seen.add(node);
        }
    }

    private void sync(String path) {
        session.handle.sync(path, (rc, p, ctx) -> {}, null);
    }

    private void fail(Code code) {
        if (code == Code.SESSIONEXPIRED) {
            client.sessionOver(session);
        }
        failed.accept(
                Codes.isUnknown(code) || Codes.isPassing(code) || code == Code.SESSIONEXPIRED
                        ? Codes.silent(client.toString(), "the request", true, code.name())
                        : Codes.refused(code, client.toString(), "the request"));
    }

    static void list(ClientSession client, NamePattern pattern, CompletableFuture<List<LockInfo>> answer) {
        client.inSession(answer, in -> {
            LockInspection inspection = new LockInspection(client, in, answer::completeExceptionally);
            if (in.knowsLeadersTime()) {
                inspection.list(pattern, answer::complete);
            } else {
                // For how long a lock is kept is measured by the leader's clock, which only a write tells.
                client.heartbeat(in).beat((alive, refusal) -> inspection.list(pattern, answer::complete));
            }
        });
    }

    static void breakLease(ClientSession client, String lock, long token, CompletableFuture<Boolean> answer) {
        client.inSession(
                answer,
                in -> new LockInspection(client, in, answer::completeExceptionally)
                        .breakLease(lock, token, answer::complete));
    }
}
