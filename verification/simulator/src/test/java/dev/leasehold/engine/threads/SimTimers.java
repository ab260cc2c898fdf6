package dev.leasehold.engine.threads;

import dev.leasehold.spi.TimeSource.Timer;
import dev.leasehold.testtools.SimClock;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Simulated timers are the real ones of a process, those of {@link SystemTime}, on a simulated clock. Only the thread below
 * them is simulated: it sleeps for as long as they say, unless they wake it, and is late now and then.
 */
public final class SimTimers {

    private static final long FOR_EVER = Long.MAX_VALUE / 8;

    private final SimWorld world;
    private final SimClock clock;
    private final Consumer<Runnable> process;
    private final LongSupplier lateness;
    private final Timers timers;
    private boolean woken;
    private boolean fired;
    private int sleeps;

    /**
     * Makes the timers of a process.
     *
     * @param process runs what its thread does: at once, or when it goes on
     * @param lateness says how late its thread is this time, in nanoseconds
     */
    public SimTimers(SimWorld world, SimClock clock, Consumer<Runnable> process, LongSupplier lateness) {
        this.world = world;
        this.clock = clock;
        this.process = process;
        this.lateness = lateness;
        timers = new Timers(clock::nanos, this::wake);
    }

    public Timer schedule(Duration delay, Runnable task) {
        return timers.schedule(delay, () -> {
            fired = true;
            task.run();
        });
    }

    private void wake() {
        if (!woken) {
            woken = true;
            lookAfter(lateness.getAsLong());
        }
    }

    /** Plans the next look; the end of an earlier sleep is then none. */
    private void lookAfter(long trueNanos) {
        int sleep = ++sleeps;
        world.after(
                trueNanos,
                () -> process.accept(() -> {
                    if (sleep == sleeps) {
                        look();
                    }
                }));
    }

    private void look() {
        fired = false;
        long nanos = timers.look();
        if (!fired) {
            world.quiet();
        }
        woken = nanos == 0;
        if (woken) {
            lookAfter(0);
        } else if (nanos < FOR_EVER) {
            lookAfter(clock.trueNanos(nanos) + lateness.getAsLong());
        }
    }
}
