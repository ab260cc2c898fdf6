package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * A listing is one of the nodes of a lock, and for permits of the slots that had been given before it was made.
 * Immutable.
 *
 * @param code OK, or why there is none
 * @param children the names of the nodes; empty where the code is not OK
 * @param slots read before the children, or null where it was not asked for
 */
record Listing(Code code, List<String> children, @Nullable SlotTable slots) {

    /** Copies the list. */
    Listing {
        children = List.copyOf(children);
    }

    static Listing failed(Code code) {
        return new Listing(code, List.of(), null);
    }

    /**
     * Asks for a listing; the answer comes in the serial executor. Right after a creation it shows the queue as it was
     * then, or later.
     */
    static void of(SerialExecutor serial, Session in, String parent, boolean withSlots, Consumer<Listing> then) {
        Listing[] table = {new Listing(Code.OK, List.of(), null)};
        if (withSlots) {
            in.handle.getData(
                    parent,
                    false,
                    (rc, p, ctx, data, stat) -> table[0] = rc == Code.OK.intValue()
                            ? new Listing(Code.OK, List.of(), SlotTable.read(data, stat.getVersion()))
                            : failed(Codes.of(rc)),
                    null);
        }
        in.handle.getChildren(
                parent,
                false,
                (rc, p, ctx, children) -> {
                    Code code = table[0].code() == Code.OK ? Codes.of(rc) : table[0].code();
                    serial.execute(() -> then.accept(
                            code != Code.OK || children == null
                                    ? failed(code)
                                    : new Listing(Code.OK, children, table[0].slots())));
                },
                null);
    }

    /**
     * Returns the claims, in no order.
     *
     * @throws LockException if there are nodes of a newer version of the library
     */
    List<NodeName> claims(String lock) {
        return NodeName.claims(children, lock);
    }

    List<String> kept() {
        return children.stream().filter(NodeName::isKept).toList();
    }

    /** Returns nodes with their shares: a node that has become a reader's is one. */
    List<Place.Node> withShares(List<String> names) {
        Set<String> all = new HashSet<>(children);
        return names.stream()
                .map(name -> new Place.Node(name, isReading(name, all) ? Claim.UNLIMITED : NodeName.shareOf(name)))
                .toList();
    }

    private static boolean isReading(String name, Set<String> all) {
        return name.startsWith(NodeName.LAYOUT) && all.contains(NodeName.reading(name));
    }
}
