package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node name is the name of a claim's node: it says which claim the node stands for, its share, and its place in the
 * order.
 *
 * <p>An exclusive claim has a name of the first layout, a shared one of the second. A library that knows only the first
 * refuses a lock with nodes of the second: it cannot take a reader's hold for a free lock, nor overlook a reader in the
 * queue. And nodes of the first layout are exclusive, no matter which library made them. The share is in the name, not
 * in the content, so that a listing shows it: one answer, one state. That a writer has become a reader is said by a
 * second node, named after its own ({@link #reading}), which the listing shows as well.
 *
 * <p>The claim's id is in the name, so a node whose creation was never answered can be recognised. The sequence number is a
 * signed 32-bit counter of the parent, written with ten characters at least, of which one may be the sign. It overflows:
 * {@code 2147483647} is followed by {@code -2147483648}, and may also be given many times over. So numbers are compared by their difference, and near the overflow not trusted at all: then
 * the transaction ids of the nodes' creation say who came first.
 */
record NodeName(String name, int sequence) {

    /** We write this layout; a library that knows only this one refuses a lock with nodes of another. */
    static final String LAYOUT = "1-";

    /**
     * This stands before a token. The node is nobody's claim, and comes before all of them. The lock is taken without a
     * holder.
     */
    static final String KEEP = LAYOUT + "keep-";

    private static final String SHARED = "2-";
    private static final String ALL = "all";
    private static final String KEPT_SHARED = SHARED + "keep-";
    private static final String READING = SHARED + "read-";

    private static final int WORN = Integer.MAX_VALUE - (1 << 20);
    private static final String REST = "-.+-[0-9]+-([0-9]{10}|-[0-9]{9,10})";
    private static final Pattern CLAIM = Pattern.compile("(?:1|2-(?:all|[0-9]{1,4}))" + REST);
    private static final Pattern KEPT = Pattern.compile("1-keep-.*|2-keep-(?:all|[0-9]{1,4}\\.([0-9]{1,4}))-[0-9]+");
    private static final Pattern READS = Pattern.compile("2-read" + REST);
    private static final Pattern OTHER_LAYOUT = Pattern.compile("[0-9]+-.*");

    /** Returns the beginning of the names of a claim's nodes. */
    static String prefix(ClaimId claim, int share) {
        return (isExclusive(share) ? LAYOUT : SHARED + text(share) + '-')
                + Paths.encode(claim.client())
                + '-'
                + claim.counter()
                + '-';
    }

    private static String text(int share) {
        return share == Claim.UNLIMITED ? ALL : Integer.toString(share);
    }

    /** Returns the name of the node that keeps a lock after a lease, with its slot if it is a permit. */
    static String kept(long token, int share, int slot) {
        if (isExclusive(share)) {
            return KEEP + token;
        }
        return KEPT_SHARED + text(share) + (Claim.hasSlots(share) ? "." + slot : "") + '-' + token;
    }

    static boolean isKept(String name) {
        return name.startsWith(KEEP) || KEPT.matcher(name).matches();
    }

    /** Returns the slot that a kept node keeps, or {@link Grant#NO_SLOT}. */
    static int keptSlot(String name) {
        Matcher matcher = KEPT.matcher(name);
        return matcher.matches() && matcher.group(1) != null ? Integer.parseInt(matcher.group(1)) : Grant.NO_SLOT;
    }

    /** Returns the name of the node by which an exclusive claim's node is known to have become a reader's. */
    static String reading(String exclusive) {
        return READING + exclusive.substring(LAYOUT.length());
    }

    /** Returns the share of the claim, or of what is kept, by the name of its node. */
    static int shareOf(String name) {
        if (name.startsWith(LAYOUT)) {
            return Claim.EXCLUSIVE;
        }
        int begin = name.startsWith(KEPT_SHARED) ? KEPT_SHARED.length() : SHARED.length();
        if (name.startsWith(ALL, begin)) {
            return Claim.UNLIMITED;
        }
        int end = begin;
        while (Character.isDigit(name.charAt(end))) {
            end++;
        }
        return Integer.parseInt(name.substring(begin, end));
    }

    static boolean isExclusive(int share) {
        return share == Claim.EXCLUSIVE;
    }

    static NodeName parse(String name) {
        Matcher matcher = CLAIM.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not the node of a claim: " + name);
        }
        return new NodeName(name, (int) Long.parseLong(matcher.group(1)));
    }

    /** Returns the claims among the children of a lock's node, in no order. Foreign nodes are ignored. */
    static List<NodeName> claims(List<String> children, String lock) {
        List<NodeName> claims = new ArrayList<>(children.size());
        for (String child : children) {
            Matcher matcher = CLAIM.matcher(child);
            if (matcher.matches()) {
                claims.add(new NodeName(child, (int) Long.parseLong(matcher.group(1))));
            } else if (isOfOtherLayout(child)) {
                throw new LockException("the ZooKeeper node " + lock + " holds '" + child
                        + "', which a newer version of Leasehold has written: upgrade this one, or use another namespace; "
                        + "the lock was not acquired");
            }
        }
        return claims;
    }

    private static boolean isOfOtherLayout(String child) {
        return OTHER_LAYOUT.matcher(child).matches()
                && !isKept(child)
                && !READS.matcher(child).matches();
    }

    /** Returns whether the order of numbers is not to be trusted. */
    static boolean isWorn(List<NodeName> claims) {
        for (NodeName claim : claims) {
            if (claim.isWorn()) {
                return true;
            }
        }
        return false;
    }

    boolean isWorn() {
        return sequence < 0 || sequence >= WORN;
    }

    int share() {
        return shareOf(name);
    }

    boolean isBefore(NodeName other) {
        return sequence - other.sequence < 0;
    }
}
