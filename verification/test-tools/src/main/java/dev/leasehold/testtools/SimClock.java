package dev.leasehold.testtools;

import dev.leasehold.spi.ClockReading;

/**
 * A simulated clock has the two clocks of one machine. The monotonic one has a rate and stands still while the machine is
 * suspended; the wall clock goes on and can be set.
 */
public final class SimClock {

    private static final long EPOCH_MICROS = 1_800_000_000_000_000L;

    private final SimWorld world;
    private final double rate;
    private final boolean suspensionShows;
    private long anchorTrue;
    private long anchorNanos;
    private boolean standing;
    private long wallOffset;

    public SimClock(SimWorld world, double rate, long firstNanos, boolean suspensionShows) {
        this.world = world;
        this.rate = rate;
        this.suspensionShows = suspensionShows;
        this.anchorTrue = world.now();
        this.anchorNanos = firstNanos;
    }

    public ClockReading read() {
        return new ClockReading(nanos(), wallMicros());
    }

    public long nanos() {
        return standing ? anchorNanos : anchorNanos + (long) ((world.now() - anchorTrue) * rate);
    }

    /** Returns the true time that the monotonic clock takes for so much; rounded up. */
    public long trueNanos(long nanos) {
        double longer = nanos / rate;
        return longer >= Long.MAX_VALUE / 4.0 ? Long.MAX_VALUE / 4 : (long) Math.ceil(longer) + 1;
    }

    public void setWall(long byMicros) {
        wallOffset += byMicros;
    }

    public void stand() {
        anchorNanos = nanos();
        anchorTrue = world.now();
        standing = true;
    }

    public void goOn() {
        if (!suspensionShows) {
            wallOffset -= (world.now() - anchorTrue) / 1000;
        }
        anchorTrue = world.now();
        standing = false;
    }

    private long wallMicros() {
        return EPOCH_MICROS + world.now() / 1000 + wallOffset;
    }

    /** Returns the node's wall clock, before anybody has set it. */
    public static long wallMicrosAt(long trueNanos) {
        return EPOCH_MICROS + trueNanos / 1000;
    }
}
