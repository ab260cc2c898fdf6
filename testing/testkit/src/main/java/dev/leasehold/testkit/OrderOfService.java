package dev.leasehold.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order of service is first in, first out: between clients, and among the callers of each.
 *
 * <p>Between clients not callers but turns are compared, because a client stands in the store's queue once for all its
 * callers. A turn is a run of holds of one client that no other client's hold interrupts. Its client has waited for it
 * since its oldest caller that was not served before asked, but not since before its previous turn ended: with the end of
 * a turn a client goes to the end of the queue. A turn must not come before one that was waited for earlier.
 *
 * <p>A turn may last while nobody else waits; once somebody does, it is over after the agreed number of hand-overs.
 */
record OrderOfService(Duration tolerance, int localHandOvers) {

    private static final class Turn {
        final String client;
        final List<HoldRecord> holds = new ArrayList<>();
        long waitedFrom;

        Turn(String client) {
            this.client = client;
        }

        HoldRecord first() {
            return holds.get(0);
        }

        HoldRecord last() {
            return holds.get(holds.size() - 1);
        }
    }

    void check(List<HoldRecord> holds, List<HoldRecord> records, List<String> found) {
        amongCallers(holds, found);
        List<Turn> turns = turns(holds);
        waits(turns, records);
        amongClients(turns, found);
    }

    private void amongCallers(List<HoldRecord> holds, List<String> found) {
        Map<String, HoldRecord> newest = new HashMap<>();
        for (HoldRecord hold : holds) {
            HoldRecord earlier = newest.get(hold.client());
            if (earlier != null && hold.requestedAt() + tolerance.toNanos() < earlier.requestedAt()) {
                found.add("order among the callers of a client: " + earlier + " overtook " + hold);
            }
            if (earlier == null || hold.requestedAt() > earlier.requestedAt()) {
                newest.put(hold.client(), hold);
            }
        }
    }

    private static List<Turn> turns(List<HoldRecord> holds) {
        List<Turn> turns = new ArrayList<>();
        Turn current = null;
        for (HoldRecord hold : holds) {
            if (current == null || !current.client.equals(hold.client())) {
                current = new Turn(hold.client());
                turns.add(current);
            }
            current.holds.add(hold);
        }
        return turns;
    }

    private static void waits(List<Turn> turns, List<HoldRecord> records) {
        Map<String, List<HoldRecord>> requests = new HashMap<>();
        records.stream()
                .sorted(Comparator.comparingLong(HoldRecord::requestedAt))
                .forEach(record -> requests.computeIfAbsent(record.client(), key -> new ArrayList<>())
                        .add(record));
        Map<String, Turn> previous = new HashMap<>();
        for (Turn turn : turns) {
            long start = turn.first().acquiredAt();
            Turn before = previous.put(turn.client, turn);
            long since = before == null ? Long.MIN_VALUE : before.last().endedAt();
            long oldest = turn.first().requestedAt();
            for (HoldRecord request : requests.getOrDefault(turn.client, List.of())) {
                // Served in this turn or later, or given up while the client waited for this turn.
                if (request.requestedAt() < oldest
                        && (request.acquiredAt() >= start || (!request.isHold() && request.endedAt() >= since))) {
                    oldest = request.requestedAt();
                }
            }
            turn.waitedFrom = Math.max(oldest, since);
        }
    }

    private void amongClients(List<Turn> turns, List<String> found) {
        Map<String, Turn> oldestLater = new HashMap<>();
        for (int i = turns.size() - 1; i >= 0; i--) {
            Turn turn = turns.get(i);
            Turn next = null;
            for (Turn later : oldestLater.values()) {
                if (!later.client.equals(turn.client) && (next == null || later.waitedFrom < next.waitedFrom)) {
                    next = later;
                }
            }
            if (next != null) {
                compare(turn, next, found);
            }
            oldestLater.merge(turn.client, turn, (old, now) -> old.waitedFrom < now.waitedFrom ? old : now);
        }
    }

    private void compare(Turn turn, Turn next, List<String> found) {
        long queued = next.waitedFrom + tolerance.toNanos();
        if (queued < turn.waitedFrom) {
            found.add("order among clients: " + turn.first() + ", waiting since " + turn.waitedFrom + ", overtook "
                    + next.first() + ", waiting since " + next.waitedFrom);
        }
        long served =
                turn.holds.stream().filter(hold -> hold.acquiredAt() > queued).count();
        if (served > localHandOvers + 1L) {
            found.add("bounded turns: " + turn.client + " served " + served + " of its callers while " + next.first()
                    + " waited since " + next.waitedFrom);
        }
    }
}
