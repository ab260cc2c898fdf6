package dev.leasehold.cli;

import dev.leasehold.Lease;

/**
 * Deadlines tell the guard of each renewal. They are run again and again; if they are held up, the guard goes by the
 * last ones that it has received.
 */
final class Deadlines implements Runnable {

    private final Lease lease;
    private final RunSettings settings;
    private final Guard guard;
    private volatile EndTimes told;

    Deadlines(Lease lease, RunSettings settings, Guard guard, EndTimes told) {
        this.lease = lease;
        this.settings = settings;
        this.guard = guard;
        this.told = told;
    }

    @Override
    public void run() {
        EndTimes known = told;
        EndTimes times = look();
        if (!times.equals(known)) {
            told = times;
            guard.watch(times);
        }
    }

    private EndTimes look() {
        long now = BootClock.now();
        return told.orLater(now, lease.remaining(), settings.grace(), settings.lease());
    }

    /** Returns when SIGKILL is due, whether or not the guard knows it. */
    long killAt() {
        EndTimes times = look();
        long now = BootClock.now();
        return times.killAt(now, lease.remaining());
    }
}
