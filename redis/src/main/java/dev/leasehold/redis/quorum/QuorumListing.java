package dev.leasehold.redis.quorum;

import dev.leasehold.HolderInfo;
import dev.leasehold.LockInfo;
import dev.leasehold.NodeAnswer;
import dev.leasehold.WaiterInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The merger of the nodes' lists of locks into one. A claim that has a lock on a majority holds it, and a node that says
 * otherwise, or nothing, is named beside it. What only a minority knows, while a majority says that the lock is free, is the
 * rest of a claim that is over, and not shown.
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
            HolderInfo holder = holder(name);
            List<WaiterInfo> waiters = waiters(name);
            if (holder != null || !waiters.isEmpty() || free(name) < quorum.majority()) {
                merged.add(new LockInfo(
                        name, holder == null ? List.of() : List.of(holder), waiters, disagreement(name, holder)));
            }
        }
        return merged;
    }

    private static @Nullable HolderInfo seenBy(Map<String, LockInfo> node, String name) {
        LockInfo lock = node.get(name);
        return lock == null ? null : lock.holder();
    }

    private int free(String name) {
        int free = 0;
        for (Map<String, LockInfo> node : nodes) {
            free += node != null && seenBy(node, name) == null ? 1 : 0;
        }
        return free;
    }

    /** Until when, is said by the node that keeps it the majority-th longest. */
    private @Nullable HolderInfo holder(String name) {
        Map<String, List<HolderInfo>> votes = new TreeMap<>();
        for (Map<String, LockInfo> node : nodes) {
            HolderInfo holder = node == null ? null : seenBy(node, name);
            if (holder != null) {
                votes.computeIfAbsent(tenure(holder), key -> new ArrayList<>()).add(holder);
            }
        }
        for (List<HolderInfo> same : votes.values()) {
            if (same.size() >= quorum.majority()) {
                same.sort(Comparator.comparing(HolderInfo::timeLeft, Comparator.nullsLast(Comparator.naturalOrder())));
                return same.get(same.size() - quorum.majority());
            }
        }
        return null;
    }

    private static String tenure(@Nullable HolderInfo holder) {
        return holder == null ? "" : holder.token() + "|" + holder.owner();
    }

    private List<NodeAnswer> disagreement(String name, @Nullable HolderInfo holder) {
        List<NodeAnswer> others = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            Map<String, LockInfo> node = nodes.get(i);
            String voter = quorum.voter(i).toString();
            if (node == null) {
                others.add(new NodeAnswer(voter, round.words(i)));
                continue;
            }
            HolderInfo seen = seenBy(node, name);
            if (!tenure(seen).equals(tenure(holder))) {
                others.add(new NodeAnswer(voter, words(seen)));
            }
        }
        return others;
    }

    private static String words(@Nullable HolderInfo holder) {
        if (holder == null) {
            return "nobody holds it";
        }
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
