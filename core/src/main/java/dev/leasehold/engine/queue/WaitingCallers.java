package dev.leasehold.engine.queue;

import dev.leasehold.inspect.HolderInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiting callers are the callers of one process that wait for one lock, first come first served; each may leave at any
 * time. This class also knows which of them have reason to say that the lock is busy: those who had joined when it was last
 * seen in other hands.
 */
final class WaitingCallers {

    /** This is the shared empty set while nobody waits: a held lock, whose queue lives long, has nobody as a rule. */
    private Set<Caller> callers = Collections.emptySet();

    private int trying;
    private long lastNumber;
    private long contentionKnownTo;
    private @Nullable HolderInfo holder;

    void add(Caller caller, long now) {
        caller.joinedAt = now;
        caller.triesSince = now;
        caller.number = ++lastNumber;
        if (callers.isEmpty()) {
            callers = new LinkedHashSet<>();
        }
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
        forgetEmpty();
    }

    List<Caller> removeAll() {
        List<Caller> all = new ArrayList<>(callers);
        callers = Collections.emptySet();
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
        forgetEmpty();
        return out;
    }

    private void forgetEmpty() {
        if (callers.isEmpty()) {
            callers = Collections.emptySet();
        }
    }

    /** Makes the caller accept the next answer as final. */
    void stopWaiting(Caller caller, long now) {
        if (!caller.tries) {
            caller.tries = true;
            caller.triesSince = now;
            trying++;
        }
    }

    long lastNumber() {
        return lastNumber;
    }

    /** Notes that the lock was seen in other hands, for the callers up to a number. */
    void noteContention(long to) {
        contentionKnownTo = Math.max(contentionKnownTo, Math.min(to, lastNumber));
    }

    /** Notes whom the store has named as holder; null for none, or for a caller of this process. */
    void noteHolder(@Nullable HolderInfo seen) {
        holder = seen;
    }

    @Nullable HolderInfo holder() {
        return holder;
    }

    /** Takes out the caller that is served. */
    void served(Caller caller) {
        if (knowsContention(caller)) {
            HolderInfo seen = holder;
            caller.waitedFor = () -> HolderText.of(seen);
        }
        remove(caller);
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

    @Nullable Caller first(Predicate<Caller> which) {
        return callers.stream().filter(which).findFirst().orElse(null);
    }

    @Nullable Caller first() {
        return callers.isEmpty() ? null : callers.iterator().next();
    }

    /** Returns a caller by its place, 0 for the first; the last one if there are fewer. */
    Caller at(int place) {
        Caller found = null;
        int left = place;
        for (Caller caller : callers) {
            found = caller;
            if (left-- <= 0) {
                break;
            }
        }
        return Objects.requireNonNull(found);
    }

    boolean isAnyTrying() {
        return trying > 0;
    }

    /** Returns how many callers would stay if the lock is busy. */
    int staying() {
        return callers.size() - trying;
    }

    void forEach(Consumer<Caller> what) {
        callers.forEach(what);
    }

    @Nullable Caller least(Comparator<Caller> order) {
        return callers.stream().min(order).orElse(null);
    }

    /**
     * Tells callers that only try that the lock is busy: all but those that may yet be served, the first ones.
     *
     * @param served how many may yet be served, by claims to which an answer is under way
     * @param to the number of the last caller for whom it is
     */
    void refuseTrying(int served, long to, EventHandling at) {
        if (trying == 0) {
            return;
        }
        int[] left = {served};
        for (Caller caller : removeIf(caller -> left[0]-- <= 0 && caller.tries && caller.number <= to)) {
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
