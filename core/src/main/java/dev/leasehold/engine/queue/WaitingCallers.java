package dev.leasehold.engine.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiting callers are the callers of one process that wait for one lock, first come first served; each may leave at any
 * time. This class also knows which of them have reason to say that the lock is busy: those who had joined when it was last
 * seen in other hands.
 */
final class WaitingCallers {

    private final LinkedHashSet<Caller> callers = new LinkedHashSet<>();
    private int trying;
    private long lastNumber;
    private long contentionKnownTo;

    void add(Caller caller, long now) {
        caller.joinedAt = now;
        caller.number = ++lastNumber;
        callers.add(caller);
        if (caller.tries) {
            trying++;
        }
    }

    boolean contains(Caller caller) {
        return callers.contains(caller);
    }

    void remove(Caller caller) {
        if (callers.remove(caller) && caller.tries) {
            trying--;
        }
    }

    List<Caller> removeAll() {
        List<Caller> all = new ArrayList<>(callers);
        callers.clear();
        trying = 0;
        return all;
    }

    /** Takes out all callers that accept one answer as final. */
    List<Caller> removeTrying() {
        return trying == 0 ? List.of() : removeIf(caller -> caller.tries);
    }

    List<Caller> removeIf(Predicate<Caller> which) {
        List<Caller> out = new ArrayList<>();
        for (Iterator<Caller> all = callers.iterator(); all.hasNext(); ) {
            Caller caller = all.next();
            if (which.test(caller)) {
                out.add(caller);
                all.remove();
                if (caller.tries) {
                    trying--;
                }
            }
        }
        return out;
    }

    /** Makes the caller accept the next answer as final. */
    void stopWaiting(Caller caller) {
        if (!caller.tries) {
            caller.tries = true;
            trying++;
        }
    }

    void noteContention() {
        contentionKnownTo = lastNumber;
    }

    boolean knowsContention(Caller caller) {
        return caller.number <= contentionKnownTo;
    }

    boolean isEmpty() {
        return callers.isEmpty();
    }

    int size() {
        return callers.size();
    }

    /** Returns whether any caller would stay if the lock is busy. */
    boolean isAnyWaiting() {
        return callers.size() > trying;
    }

    @Nullable Caller first() {
        return callers.isEmpty() ? null : callers.iterator().next();
    }

    @Nullable Caller least(Comparator<Caller> order) {
        return callers.stream().min(order).orElse(null);
    }

    /** Tells all callers that only try that the lock is busy. */
    void refuseTrying(EventHandling at) {
        for (Caller caller : removeTrying()) {
            at.add(new Action.Refuse(caller));
        }
    }

    /** Fails all waiting callers. */
    void failAll(RuntimeException why, EventHandling at) {
        for (Caller caller : removeAll()) {
            at.add(new Action.Fail(caller, why));
        }
    }
}
