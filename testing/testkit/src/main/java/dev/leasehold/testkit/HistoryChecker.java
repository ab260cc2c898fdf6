package dev.leasehold.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A history checker judges a history: the records that every client has logged of every request, on one clock. It knows
 * nothing of stores, so it is as good for a simulation as for real processes. Immutable; each {@code with…} method
 * returns a changed copy.
 *
 * <p>Always checked, per lock:
 *
 * <ul>
 *   <li><b>exclusion</b>: at no moment did more callers believe that they had the lock than the smallest share among them:
 *       beside an exclusive holder nobody;
 *   <li><b>slots</b>: no two callers believed at the same moment that they had the same slot, each was below its holder's
 *       share, and the tokens of one slot increased;
 *   <li><b>token order</b>: in the order of acquisition the tokens of exclusive holds exceed all before, and those of shared
 *       holds exceed those of exclusive ones before;
 *   <li><b>truthful loss</b>: nobody believed in a hold beyond the deadline that its lease had stated.
 * </ul>
 *
 * <p>Checked if asked for: <b>order of service</b> ({@link #withOrder}) and <b>progress</b> ({@link #withProgress}).
 *
 * @param lossTolerance how much later than the deadline a loss may be noticed: the cost of noticing, zero in a simulation
 * @param order whether order of service is checked
 * @param orderTolerance by how much a request must be earlier than another for it to count as earlier: how long it takes
 *     a request to reach the store
 * @param localHandOvers how many callers beyond the first a client may serve in one turn
 * @param progress whether progress is checked
 * @param stallLimit how long a lock that somebody wants may be free
 */
public record HistoryChecker(
        Duration lossTolerance,
        boolean order,
        Duration orderTolerance,
        int localHandOvers,
        boolean progress,
        Duration stallLimit) {

    private static final int MOST_SHOWN = 20;

    /**
     * Makes a checker of exclusion, token order and truthful loss.
     *
     * @param lossTolerance how much later than the deadline a loss may be noticed
     * @return the checker
     */
    public static HistoryChecker of(Duration lossTolerance) {
        return new HistoryChecker(lossTolerance, false, Duration.ZERO, 0, false, Duration.ZERO);
    }

    /**
     * Also checks the order of service: first in, first out between clients and within each, where a client may serve
     * several of its own callers per turn. Not for histories with lost requests: a client that asks again goes to the
     * end.
     *
     * @param tolerance by how much a request must be earlier to count as earlier
     * @param handOvers how many callers beyond the first a client may serve in one turn
     * @return the changed copy
     */
    public HistoryChecker withOrder(Duration tolerance, int handOvers) {
        return new HistoryChecker(lossTolerance, true, tolerance, handOvers, progress, stallLimit);
    }

    /**
     * Also checks progress: while somebody waits, the lock is not free for longer than the limit.
     *
     * @param limit the longest time; with crashes, a lease and what it takes to notice
     * @return the changed copy
     */
    public HistoryChecker withProgress(Duration limit) {
        return new HistoryChecker(lossTolerance, order, orderTolerance, localHandOvers, true, limit);
    }

    /**
     * Judges a history.
     *
     * @param history all records of all clients, in any order
     * @return what is wrong, in words; empty if nothing is
     */
    public List<String> violations(Collection<HoldRecord> history) {
        Map<String, List<HoldRecord>> byLock =
                history.stream().collect(Collectors.groupingBy(HoldRecord::lock, TreeMap::new, Collectors.toList()));
        List<String> found = new ArrayList<>();
        for (List<HoldRecord> records : byLock.values()) {
            List<HoldRecord> holds = records.stream()
                    .filter(HoldRecord::isHold)
                    .sorted(Comparator.comparingLong(HoldRecord::acquiredAt).thenComparingLong(HoldRecord::token))
                    .toList();
            exclusion(holds, found);
            slots(holds, found);
            tokenOrder(holds, found);
            truthfulLoss(holds, found);
            if (order) {
                new OrderOfService(orderTolerance, localHandOvers).check(holds, records, found);
            }
            if (progress) {
                progress(holds, records, found);
            }
        }
        return found;
    }

    /**
     * Judges, and throws if something is wrong.
     *
     * @param history all records of all clients, in any order
     * @throws AssertionError naming what is wrong
     */
    public void check(Collection<HoldRecord> history) {
        List<String> found = violations(history);
        if (!found.isEmpty()) {
            throw new AssertionError(found.size() + " violations in a history of " + history.size() + " records:\n"
                    + found.stream().limit(MOST_SHOWN).collect(Collectors.joining("\n")));
        }
    }

    // Sorted by acquisition, so at the beginning of each hold the others that have not ended are the ones beside it.
    private static void exclusion(List<HoldRecord> holds, List<String> found) {
        List<HoldRecord> present = new ArrayList<>();
        for (HoldRecord hold : holds) {
            present.removeIf(other -> other.endedAt() <= hold.acquiredAt());
            present.add(hold);
            int least = present.stream().mapToInt(HoldRecord::share).min().orElse(1);
            if (present.size() > least) {
                found.add("exclusion: " + present.size() + " holders at " + hold.acquiredAt()
                        + ", of whom one shares with " + least + ": " + present);
            }
        }
    }

    private static void slots(List<HoldRecord> holds, List<String> found) {
        Map<Integer, HoldRecord> lastBySlot = new TreeMap<>();
        for (HoldRecord hold : holds) {
            if (hold.slot() < 0) {
                continue;
            }
            if (hold.slot() >= hold.share()) {
                found.add("slots: the slot is not below the share: " + hold);
            }
            HoldRecord last = lastBySlot.put(hold.slot(), hold);
            if (last != null && hold.acquiredAt() < last.endedAt()) {
                found.add("slots: two holders of slot " + hold.slot() + ": " + last + " and " + hold);
            }
            if (last != null && hold.token() <= last.token()) {
                found.add("slots: the token of slot " + hold.slot() + " does not increase: " + last + " and " + hold);
            }
        }
    }

    private static void tokenOrder(List<HoldRecord> holds, List<String> found) {
        HoldRecord newest = null;
        HoldRecord exclusive = null;
        for (HoldRecord hold : holds) {
            HoldRecord before = hold.share() == 1 ? newest : exclusive;
            if (before != null && hold.token() <= before.token()) {
                found.add("token order: " + hold + " does not exceed " + before);
            }
            newest = newest == null || hold.token() > newest.token() ? hold : newest;
            if (hold.share() == 1) {
                exclusive = exclusive == null || hold.token() > exclusive.token() ? hold : exclusive;
            }
        }
    }

    private void truthfulLoss(List<HoldRecord> holds, List<String> found) {
        for (HoldRecord hold : holds) {
            boolean told = hold.end() == HoldRecord.End.RELEASED || hold.end() == HoldRecord.End.LOST;
            if (told
                    && hold.deadline() != HoldRecord.NEVER
                    && hold.endedAt() - hold.deadline() > lossTolerance.toNanos()) {
                found.add("truthful loss: believed for " + Duration.ofNanos(hold.endedAt() - hold.deadline())
                        + " beyond its deadline: " + hold);
            }
        }
    }

    private void progress(List<HoldRecord> holds, List<HoldRecord> records, List<String> found) {
        long freeSince = Long.MIN_VALUE;
        for (HoldRecord hold : holds) {
            stalls(freeSince, hold.acquiredAt(), records, found);
            freeSince = Math.max(freeSince, hold.endedAt());
        }
        stalls(freeSince, HoldRecord.NEVER, records, found);
    }

    private void stalls(long freeSince, long takenAt, List<HoldRecord> records, List<String> found) {
        long limit = stallLimit.toNanos();
        if (freeSince != Long.MIN_VALUE && takenAt - freeSince <= limit) {
            return;
        }
        for (HoldRecord request : records) {
            long from = Math.max(freeSince, request.requestedAt());
            long to = Math.min(takenAt, request.acquiredAt());
            if (to > from && to - from > limit) {
                found.add("progress: free for " + Duration.ofNanos(to - from) + " from " + from + " on, while "
                        + request + " waited");
            }
        }
    }
}
