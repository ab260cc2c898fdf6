package dev.leasehold.benchmarks;

import java.time.Duration;

/**
 * The pace says how long things are measured.
 *
 * @param rounds how many turns each contestant has
 * @param warmUp of a contestant before the first round, at most; of one with one process, and exactly, in a quick run
 */
record Pace(int rounds, Duration turn, Duration warmUp, boolean quick) {

    /** So long are slices of a warm-up: long enough for compilers to show that they have work. */
    private static final Duration SLICE = Duration.ofSeconds(2);

    private static final Duration LEAST_WARM_UP = Duration.ofSeconds(10);
    private static final int QUICK_SLICES = 3;

    /** Several processes have more to compile, and no more processors for it. */
    WarmUp warmUp(int processes) {
        double factor = 1 + (processes - 1) / 4.0;
        if (quick) {
            Duration length = times(warmUp, factor);
            return new WarmUp(length, length, length.dividedBy(QUICK_SLICES));
        }
        return new WarmUp(times(LEAST_WARM_UP, factor), warmUp, SLICE);
    }

    /**
     * Returns about how many seconds of warm-up a contestant will need: thirty, and ten more for each further process, which is
     * what was seen on two processors that were not idle.
     */
    double expectedWarmUp(int processes) {
        double most = warmUp.toMillis() / 1e3;
        return quick ? most * processes : Math.min(most, 20 + 10.0 * processes);
    }

    private static Duration times(Duration length, double factor) {
        return Duration.ofMillis(Math.round(length.toMillis() * factor));
    }

    String words() {
        return rounds + (rounds == 1 ? " round" : " rounds") + " of "
                + turn.toMillis() / 1000.0 + " s in turns (A-B-C-C-B-A) after "
                + (quick
                        ? warmUp.toMillis() / 1000.0 + " s of warm-up (more for several processes),"
                                + " quick: two processes at most, without the second compiler"
                        : warmUp.isZero()
                                ? "no warm-up"
                                : "a warm-up until the JVMs compile no more, of at most " + warmUp.toSeconds()
                                        + " s each");
    }
}
