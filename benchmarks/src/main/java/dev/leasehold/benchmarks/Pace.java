package dev.leasehold.benchmarks;

import java.time.Duration;

/**
 * How long things are measured.
 *
 * @param rounds how many turns each contestant has
 * @param warmUp of each contestant before the first round
 */
record Pace(int rounds, Duration turn, Duration warmUp, boolean quick) {

    String words() {
        return rounds + (rounds == 1 ? " round" : " rounds") + " of "
                + turn.toMillis() / 1000.0 + " s in turns (A-B-C-C-B-A) after " + warmUp.toMillis() / 1000.0
                + " s of warm-up";
    }
}
