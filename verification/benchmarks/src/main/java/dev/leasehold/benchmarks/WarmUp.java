package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Warmth;
import java.time.Duration;
import java.util.OptionalDouble;

/**
 * A warm-up says for how long one contestant is warmed, in slices: until its processes have compiled next to nothing in several
 * of them, one after the other. It is never shorter than the fixed time that is for contestants which do not say what they
 * compile: one that makes few cycles compiles nothing for a while, until its methods have been called often enough. And it is
 * never longer than its limit.
 */
final class WarmUp {

    /** After so many quiet slices it has settled. */
    static final int QUIET = 3;

    private final Duration least;
    private final Duration most;
    private final Duration slice;
    private Duration took = Duration.ZERO;
    private int quiet;
    private boolean known = true;
    private OptionalDouble last = OptionalDouble.empty();

    /**
     * Makes one that has not begun.
     *
     * @param least it lasts so long also if nothing is compiled
     * @param most it lasts no longer, whatever is compiled
     */
    WarmUp(Duration least, Duration most, Duration slice) {
        this.least = least.compareTo(most) < 0 ? least : most;
        this.most = most;
        this.slice = slice;
    }

    /** Returns how long the next slice is to be: zero when the contestant is warm, or has had all the time there is. */
    Duration next() {
        Duration left = most.minus(took);
        boolean enough = took.compareTo(least) >= 0 && (isSettled() || !known);
        return enough ? Duration.ZERO : left.compareTo(slice) < 0 ? left : slice;
    }

    /**
     * Takes note of a slice.
     *
     * @param compiling how long the compilers of all its processes worked since the slice before, also while others had their
     *     turns; in milliseconds, negative if it is not known
     */
    void add(Duration length, long compiling) {
        took = took.plus(length);
        known = compiling >= 0;
        double part = compiling * 1e6 / length.toNanos();
        last = known ? OptionalDouble.of(part) : OptionalDouble.empty();
        quiet = known && 100 * part < Warmth.SMALL ? quiet + 1 : 0;
    }

    Duration took() {
        return took;
    }

    /** Returns what part of the last slice was spent on compiling; more than one where several compilers were at work. */
    OptionalDouble last() {
        return last;
    }

    boolean isSettled() {
        return quiet >= QUIET;
    }
}
