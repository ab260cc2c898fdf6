package dev.leasehold.benchmarks;

import java.time.Duration;

/**
 * The pace says how long things are measured.
 *
 * @param rounds how many turns each contestant has
 * @param warmUp of a contestant with one process, before the first round
 */
record Pace(int rounds, Duration turn, Duration warmUp, boolean quick) {

    /** More processes have more to compile, and no more processors for it. */
    static double warmUpFactor(int processes) {
        return 1 + (processes - 1) / 4.0;
    }

    Duration warmUp(int processes) {
        return Duration.ofMillis(Math.round(warmUp.toMillis() * warmUpFactor(processes)));
    }

    String words() {
        return rounds + (rounds == 1 ? " round" : " rounds") + " of "
                + turn.toMillis() / 1000.0 + " s in turns (A-B-C-C-B-A) after " + warmUp.toMillis() / 1000.0
                + " s of warm-up (more for several processes)"
                + (quick ? ", quick: two processes at most, without the second compiler" : "");
    }
}
