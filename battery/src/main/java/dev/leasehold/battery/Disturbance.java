package dev.leasehold.battery;

import dev.leasehold.testkit.HoldRecord;
import java.util.ArrayList;
import java.util.List;

/** A disturbance is what the battery did to a target, from the blow until it was set right; without end if it never was. */
record Disturbance(String target, String fault, long from, long to) {

    static List<Disturbance> of(List<Event> history) {
        List<Disturbance> found = new ArrayList<>();
        for (Event event : history) {
            if (event instanceof Event.Struck struck) {
                long to = history.stream()
                        .filter(Event.Healed.class::isInstance)
                        .filter(healed ->
                                healed.at() >= struck.at() && healed.worker().equals(struck.worker()))
                        .mapToLong(Event::at)
                        .min()
                        .orElse(HoldRecord.NEVER);
                found.add(new Disturbance(struck.worker(), struck.fault(), struck.at(), to));
            }
        }
        return found;
    }

    /** How much of it lies between two times, with something added behind its end; 0 if none does. */
    long within(long start, long end, long behind) {
        long until = to > HoldRecord.NEVER - behind ? HoldRecord.NEVER : to + behind;
        return Math.max(0, Math.min(end, until) - Math.max(start, from));
    }
}
