package dev.leasehold.cli;

import dev.leasehold.Lease;

/** Tells the guard of each renewal. Run again and again; if it is held up, the guard goes by what it knows. */
final class Deadlines implements Runnable {

    /** Readings of two clocks differ by a bit even if nothing was renewed. */
    private static final long JITTER = 2;

    private final Lease lease;
    private final RunSettings settings;
    private final Guard guard;
    private EndTimes told;

    Deadlines(Lease lease, RunSettings settings, Guard guard, EndTimes told) {
        this.lease = lease;
        this.settings = settings;
        this.guard = guard;
        this.told = told;
    }

    @Override
    public void run() {
        long now = BootClock.now();
        EndTimes times = EndTimes.of(now, lease.remaining(), settings.grace(), settings.lease());
        if (times.killAt() > told.killAt() + JITTER) {
            told = times;
            guard.watch(times);
        }
    }
}
