package dev.leasehold.testtools;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The simulated world has the true time, which nobody in the simulation can read, and what happens in it. Events run one
 * after the other, by time and then in the order of their planning; all chance comes from the seed. So a seed names a run:
 * same events, same trace. The hash over the trace shows that it was the same.
 */
public final class SimWorld {

    private record Event(long time, long order, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(order, other.order);
        }
    }

    private final long seed;
    private final @Nullable Consumer<String> trace;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<String, long[]> seen = new HashMap<>();
    private long now;
    private long planned;
    private long happened;
    private long hash = 1;
    private boolean quiet;

    public SimWorld(long seed, @Nullable Consumer<String> trace) {
        this.seed = seed;
        this.trace = trace;
    }

    /** Returns the true time in nanoseconds since the beginning. */
    public long now() {
        return now;
    }

    /** Returns a source of chance of its own, so that more draws at one place do not shift those of another. */
    public SplittableRandom chance(String purpose) {
        return new SplittableRandom(seed * 0x9E3779B97F4A7C15L + purpose.hashCode());
    }

    public void at(long time, Runnable what) {
        events.add(new Event(Math.max(time, now), planned++, what));
    }

    public void after(long delay, Runnable what) {
        at(delay > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + delay, what);
    }

    /** Lets the next event happen, unless it lies after the limit. */
    public boolean step(long limit) {
        Event next = events.peek();
        if (next == null || next.time > limit) {
            now = Math.max(now, limit);
            return false;
        }
        events.remove();
        now = next.time;
        happened++;
        quiet = false;
        next.what.run();
        return true;
    }

    /** Says that the present event has done nothing that anybody could see. */
    public void quiet() {
        quiet = true;
    }

    /** Returns whether the last event has done nothing that anybody could see. */
    public boolean wasQuiet() {
        return quiet;
    }

    /** Writes the trace: the parts must have the same text in every run. */
    public void note(String who, String what, Object... parts) {
        seen.computeIfAbsent(what, first -> new long[1])[0]++;
        long h = hash * 31 + now;
        h = h * 31 + who.hashCode();
        h = h * 31 + what.hashCode();
        for (Object part : parts) {
            h = h * 31 + (part instanceof Enum<?> constant ? constant.name().hashCode() : part.hashCode());
        }
        hash = h;
        if (trace != null) {
            StringBuilder line = new StringBuilder(String.format("%14.6f %-9s %s", now / 1e6, who, what));
            for (Object part : parts) {
                line.append(' ').append(part);
            }
            trace.accept(line.toString());
        }
    }

    public long hash() {
        return hash * 31 + happened;
    }

    /** Returns how often each kind of event has happened. */
    public Map<String, Long> seen() {
        Map<String, Long> sorted = new TreeMap<>();
        seen.forEach((what, times) -> sorted.put(what, times[0]));
        return sorted;
    }

    public long happened() {
        return happened;
    }
}
