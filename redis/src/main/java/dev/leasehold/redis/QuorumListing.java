package dev.leasehold.redis;

import dev.leasehold.HolderInfo;
import dev.leasehold.LockInfo;
import dev.leasehold.WaiterInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes one list of what the nodes of a quorum have each told of their locks. */
final class QuorumListing {

    private QuorumListing() {}

    static List<LockInfo> merge(Quorum quorum, List<? extends @Nullable List<LockInfo>> lists) {
        Map<String, List<LockInfo>> byName = new TreeMap<>();
        for (List<LockInfo> list : lists) {
            for (LockInfo lock : list == null ? List.<LockInfo>of() : list) {
                byName.computeIfAbsent(lock.name(), name -> new ArrayList<>()).add(lock);
            }
        }
        List<LockInfo> merged = new ArrayList<>();
        byName.forEach((name, seen) -> {
            HolderInfo holder = holder(seen, quorum.majority());
            List<WaiterInfo> waiters = waiters(seen);
            if (holder != null || !waiters.isEmpty()) {
                merged.add(new LockInfo(name, holder, waiters));
            }
        });
        return merged;
    }

    /** Whoever has the lock on a majority: until when, is said by the node that keeps it the majority-th longest. */
    private static @Nullable HolderInfo holder(List<LockInfo> seen, int majority) {
        Map<String, List<HolderInfo>> votes = new TreeMap<>();
        for (LockInfo lock : seen) {
            HolderInfo holder = lock.holder();
            if (holder != null) {
                votes.computeIfAbsent(holder.token() + "|" + holder.owner(), key -> new ArrayList<>())
                        .add(holder);
            }
        }
        for (List<HolderInfo> same : votes.values()) {
            if (same.size() >= majority) {
                same.sort((one, other) -> compare(one, other));
                return same.get(same.size() - majority);
            }
        }
        return null;
    }

    private static int compare(HolderInfo one, HolderInfo other) {
        return one.timeLeft() == null || other.timeLeft() == null
                ? 0
                : one.timeLeft().compareTo(other.timeLeft());
    }

    /** The gate has those who wait; should clients disagree on the gate, the longest line is shown. */
    private static List<WaiterInfo> waiters(List<LockInfo> seen) {
        List<WaiterInfo> longest = List.of();
        for (LockInfo lock : seen) {
            longest = lock.waiters().size() > longest.size() ? lock.waiters() : longest;
        }
        return longest;
    }
}
