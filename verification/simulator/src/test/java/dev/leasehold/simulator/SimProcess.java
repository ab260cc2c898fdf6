package dev.leasehold.simulator;

import dev.leasehold.engine.threads.SimTimers;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testtools.SimClock;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A simulated process is one process from its start to its end: its clocks, its timers, the executor for its users'
 * callbacks, and all that can stop it. Tasks that fall due while it is stopped wait until it goes on; after a crash nothing
 * runs any more.
 */
final class SimProcess implements TimeSource {

    private final SimWorld world;
    private final SimScenario scenario;
    private final String name;
    private final SimClock clock;
    private final SplittableRandom chance;
    private final SimTimers timers;
    private final ArrayDeque<Runnable> callbacks = new ArrayDeque<>();
    private final List<Runnable> held = new ArrayList<>();
    private boolean callbacksPlanned;
    private boolean crashed;
    private boolean paused;
    private boolean suspended;
    private long lastStop = -1;
    private long starvedUntil;
    private long runningSince;

    SimProcess(SimWorld world, SimScenario scenario, String name) {
        this.world = world;
        this.scenario = scenario;
        this.name = name;
        this.chance = world.chance("process " + name);
        this.clock = new SimClock(
                world, scenario.clockRate(chance), scenario.firstNanos(chance), scenario.on(SimGuard.SUSPENSION_SHOWS));
        this.timers = new SimTimers(world, clock, this::run, () -> scenario.timerLateness(chance));
    }

    String name() {
        return name;
    }

    SimClock clock() {
        return clock;
    }

    @Override
    public ClockReading now() {
        ClockReading reading = clock.read();
        return scenario.on(SimGuard.MONOTONIC_CLOCK_MOVES) ? reading : new ClockReading(0, reading.wallMicros());
    }

    @Override
    public long nanos() {
        return now().nanos();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        boolean fires =
                scenario.on(SimGuard.TIMERS_FIRE) || delay.compareTo(Duration.ofNanos(scenario.longTimer())) < 0;
        return fires ? timers.schedule(delay, task) : () -> {};
    }

    /** Runs something in this process: now, or when it goes on, or never. */
    void run(Runnable task) {
        if (crashed) {
            return;
        }
        if (isStopped()) {
            held.add(task);
        } else {
            task.run();
        }
    }

    /** Executes users' callbacks: one after the other, each a little late. */
    void execute(Runnable callback) {
        if (!crashed) {
            callbacks.add(callback);
            planCallbacks();
        }
    }

    private void planCallbacks() {
        if (!callbacksPlanned && !callbacks.isEmpty()) {
            callbacksPlanned = true;
            long at = Math.max(world.now() + scenario.callbackDelay(chance), starvedUntil);
            world.at(
                    at,
                    () -> run(() -> {
                        callbacksPlanned = false;
                        Runnable next = callbacks.poll();
                        planCallbacks();
                        if (next != null) {
                            next.run();
                        }
                    }));
        }
    }

    void starve(long nanos) {
        starvedUntil = world.now() + nanos;
        runningSince = Math.max(runningSince, starvedUntil);
    }

    void pause() {
        paused = true;
        lastStop = world.now();
    }

    void resume() {
        paused = false;
        goOn();
    }

    void suspend() {
        suspended = true;
        lastStop = world.now();
        clock.stand();
    }

    void wake() {
        suspended = false;
        clock.goOn();
        goOn();
    }

    void crash() {
        crashed = true;
        held.clear();
        callbacks.clear();
    }

    void wakeAndResume() {
        paused = false;
        if (suspended) {
            wake();
        } else {
            goOn();
        }
    }

    boolean isStopped() {
        return paused || suspended;
    }

    boolean isSuspended() {
        return suspended;
    }

    boolean isCrashed() {
        return crashed;
    }

    /** Returns when it was stopped last, or -1. */
    long lastStop() {
        return lastStop;
    }

    /** Returns since when nothing has kept this process from doing its work. */
    long runningSince() {
        return isStopped() ? Long.MAX_VALUE : runningSince;
    }

    // Tasks that have waited run in the order of their time, or answers before timers, or the other way round.
    private void goOn() {
        if (isStopped() || crashed) {
            return;
        }
        runningSince = Math.max(runningSince, world.now());
        List<Runnable> due = new ArrayList<>(held);
        held.clear();
        if (chance.nextInt(3) == 0) {
            for (int i = due.size() - 1; i > 0; i--) {
                int j = chance.nextInt(i + 1);
                due.set(i, due.set(j, due.get(i)));
            }
        }
        for (Runnable task : due) {
            world.after(0, () -> run(task));
        }
    }
}
