package dev.leasehold.battery;

import dev.leasehold.testkit.HoldRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A disturbance is what the battery did to a target, from the blow until it was set right; without end if it never was. */
record Disturbance(String target, String fault, long from, long to) {

    /**
     * Returns the disturbances of a history in order of time; a target is struck again only when it has been set right.
     */
    static List<Disturbance> of(List<Event> history) {
        List<Disturbance> found = new ArrayList<>();
        Map<String, Integer> open = new HashMap<>();
        for (Event event : history) {
            if (event instanceof Event.Struck struck) {
                open.put(struck.worker(), found.size());
                found.add(new Disturbance(struck.worker(), struck.fault(), struck.at(), HoldRecord.NEVER));
            } else if (event instanceof Event.Healed healed) {
                Integer index = open.remove(healed.worker());
                if (index != null) {
                    Disturbance struck = found.get(index);
                    found.set(index, new Disturbance(struck.target, struck.fault, struck.from, healed.at()));
                }
            }
        }
        return List.copyOf(found);
    }

    /** Returns whether its target does nothing meanwhile. A process knows its deadline whatever happens to its messages. */
    boolean stopsItsTarget() {
        return List.of(Fault.STOP.word(), Fault.SUSPEND.word(), Fault.KILL.word())
                .contains(fault);
    }

    /** Returns how much of it lies between two times, with something added behind its end; 0 if none does. */
    long within(long start, long end, long behind) {
        return Math.max(0, Math.min(end, until(behind)) - Math.max(start, from));
    }

    private long until(long behind) {
        return to > HoldRecord.NEVER - behind ? HoldRecord.NEVER : to + behind;
    }

    /**
     * Returns how much of the time between two times at least one of them covers, with something added behind the end of
     * each.
     */
    static long covered(List<Disturbance> inOrder, long start, long end, long behind) {
        long covered = 0;
        long reached = start;
        for (Disturbance fault : inOrder) {
            long from = Math.max(reached, fault.from);
            long to = Math.min(end, fault.until(behind));
            if (to > from) {
                covered += to - from;
                reached = to;
            }
        }
        return covered;
    }
}
