package dev.leasehold.redis.quorum;

import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A quorum listing makes one list of what the nodes of a quorum have each told of their locks. A client that has a lock on
 * a majority holds it, of readers each that has; and a node that says otherwise, or nothing, is named beside it. What only a
 * minority knows, while a majority says that the lock is free, is the rest of a claim that is over, and not shown.
 */
final class QuorumListing {

    private final Quorum quorum;
    private final FanOut<List<LockInfo>> round;
    private final List<@Nullable Map<String, LockInfo>> nodes = new ArrayList<>();

    private QuorumListing(Quorum quorum, FanOut<List<LockInfo>> round) {
        this.quorum = quorum;
        this.round = round;
        for (List<LockInfo> list : round.answers()) {
            if (list == null) {
                nodes.add(null);
            } else {
                Map<String, LockInfo> byName = new TreeMap<>();
                list.forEach(lock -> byName.put(lock.name(), lock));
                nodes.add(byName);
            }
        }
    }

    static List<LockInfo> merge(Quorum quorum, FanOut<List<LockInfo>> round) {
        return new QuorumListing(quorum, round).merged();
    }

    private List<LockInfo> merged() {
        Set<String> names = new TreeSet<>();
        nodes.forEach(node -> names.addAll(node == null ? Set.of() : node.keySet()));
        List<LockInfo> merged = new ArrayList<>();
        for (String name : names) {
            List<HolderInfo> holders = holders(name);
            List<WaiterInfo> waiters = waiters(name);
            if (!holders.isEmpty() || !waiters.isEmpty() || free(name) < quorum.majority()) {
                merged.add(new LockInfo(name, holders, waiters, disagreement(name, holders)));
            }
        }
        return merged;
    }

    private static List<HolderInfo> seenBy(Map<String, LockInfo> node, String name) {
        LockInfo lock = node.get(name);
        return lock == null ? List.of() : lock.holders();
    }

    private int free(String name) {
        int free = 0;
        for (Map<String, LockInfo> node : nodes) {
            free += node != null && seenBy(node, name).isEmpty() ? 1 : 0;
        }
        return free;
    }

    /** Returns the holders; each end is that of the node that keeps it majority-th longest. */
    private List<HolderInfo> holders(String name) {
        Map<String, List<HolderInfo>> votes = new TreeMap<>();
        for (Map<String, LockInfo> node : nodes) {
            for (HolderInfo holder : node == null ? List.<HolderInfo>of() : seenBy(node, name)) {
                votes.computeIfAbsent(leaseOf(holder), key -> new ArrayList<>()).add(holder);
            }
        }
        List<HolderInfo> holders = new ArrayList<>();
        for (List<HolderInfo> same : votes.values()) {
            if (same.size() >= quorum.majority()) {
                same.sort(Comparator.comparing(HolderInfo::timeLeft, Comparator.nullsLast(Comparator.naturalOrder())));
                holders.add(same.get(same.size() - quorum.majority()));
            }
        }
        holders.sort(Comparator.comparingLong(HolderInfo::token));
        return holders;
    }

    private static String leaseOf(HolderInfo holder) {
        return holder.token() + "|" + holder.owner();
    }

    private static Set<String> leasesOf(List<HolderInfo> holders) {
        return holders.stream().map(QuorumListing::leaseOf).collect(Collectors.toSet());
    }

    private List<NodeAnswer> disagreement(String name, List<HolderInfo> holders) {
        List<NodeAnswer> others = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            Map<String, LockInfo> node = nodes.get(i);
            String voter = quorum.voter(i).toString();
            if (node == null) {
                others.add(new NodeAnswer(voter, round.words(i)));
                continue;
            }
            List<HolderInfo> seen = seenBy(node, name);
            if (!leasesOf(seen).equals(leasesOf(holders))) {
                others.add(new NodeAnswer(voter, words(seen)));
            }
        }
        return others;
    }

    private static String words(List<HolderInfo> holders) {
        return holders.isEmpty()
                ? "nobody holds it"
                : holders.stream().map(QuorumListing::words).collect(Collectors.joining("; "));
    }

    private static String words(HolderInfo holder) {
        String who = holder.owner().isEmpty() ? "kept without a holder" : "held by " + holder.owner();
        String left = holder.timeLeft() == null
                ? ""
                : ", for another " + holder.timeLeft().toMillis() + " ms";
        return who + ", token " + holder.token() + left;
    }

    /** Returns the queue, which is at the gate; should clients disagree on the gate, the longest queue is shown. */
    private List<WaiterInfo> waiters(String name) {
        List<WaiterInfo> longest = List.of();
        for (Map<String, LockInfo> node : nodes) {
            LockInfo lock = node == null ? null : node.get(name);
            longest = lock != null && lock.waiters().size() > longest.size() ? lock.waiters() : longest;
        }
        return longest;
    }
}
