package dev.leasehold.redis;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testtools.SimClock;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A simulated process is one with a client in it: its clock, its timers, and whether it runs. */
public final class SimulatedProcess implements TimeSource {

    private final SimWorld world;
    private final String name;
    private final SimClock clock;
    private final List<Runnable> held = new ArrayList<>();
    private boolean paused;
    private boolean dead;

    public SimulatedProcess(SimWorld world, String name, double rate, long wallWrongByMicros) {
        this.world = world;
        this.name = name;
        clock = new SimClock(world, rate, 0, true);
        clock.setWall(wallWrongByMicros);
    }

    @Override
    public ClockReading now() {
        return clock.read();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        boolean[] over = new boolean[1];
        long nanos =
                Math.max(0, Math.min(delay.compareTo(Duration.ofDays(1)) > 0 ? 1L << 46 : delay.toNanos(), 1L << 46));
        world.after(
                clock.trueNanos(nanos),
                () -> run(() -> {
                    if (!over[0]) {
                        over[0] = true;
                        task.run();
                    }
                }));
        return () -> over[0] = true;
    }

    /** Runs something now, or when the process goes on, or never. */
    void run(Runnable task) {
        if (paused) {
            held.add(task);
        } else if (!dead) {
            task.run();
        }
    }

    void execute(Runnable callback) {
        world.after(0, () -> run(callback));
    }

    void pause() {
        world.note(name, "is stopped");
        paused = true;
    }

    void goOn() {
        if (paused) {
            world.note(name, "goes on");
            paused = false;
            List<Runnable> due = new ArrayList<>(held);
            held.clear();
            due.forEach(task -> world.after(0, () -> run(task)));
        }
    }

    void die() {
        world.note(name, "dies");
        dead = true;
        held.clear();
    }

    boolean isDead() {
        return dead;
    }
}
