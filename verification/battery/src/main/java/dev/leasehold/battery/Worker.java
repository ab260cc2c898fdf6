package dev.leasehold.battery;

import dev.leasehold.testkit.HoldRecord;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker asks for locks again and again, holds them for a while, looks at its lease every few milliseconds meanwhile,
 * and writes down what it saw. Its actions follow from its seed, their times do not.
 */
final class Worker implements Runnable {

    /** A kind of worker treats its lease in one way. */
    enum Kind {
        /** It stops as soon as its lease is not valid. */
        CAREFUL,
        /** It never looks at its lease, works for longer, and does not renew: what a judge has to find. */
        HEEDLESS
    }

    /** The reason of a call that was still waiting some seconds after all workers had been ordered to end. */
    static final String INTERRUPTED = "interrupted";

    private static final long LOOK_NANOS = 3_000_000;

    private final String name;
    private final Locks locks;
    private final History history;
    private final Duration lease;
    private final Random random;
    private final Kind kind;
    private volatile boolean finishing;
    private volatile boolean resting;
    private long calls;

    Worker(String name, Locks locks, History history, Duration lease, Random random, Kind kind) {
        this.name = name;
        this.locks = locks;
        this.history = history;
        this.lease = lease;
        this.random = random;
        this.kind = kind;
    }

    /** Asks for nothing, until it goes on. */
    void rest(boolean resting) {
        this.resting = resting;
    }

    void finish() {
        finishing = true;
    }

    @Override
    public void run() {
        try {
            while (!finishing) {
                if (!resting) {
                    once();
                }
                LockSupport.parkNanos(random.nextInt(60) * 1_000_000L);
            }
        } catch (InterruptedException e) {
            // The end was ordered while it waited.
        }
    }

    private void once() throws InterruptedException {
        Locks.Wanted wanted = locks.draw(random);
        boolean patient = random.nextInt(10) > 0;
        long call = ++calls;
        history.add(new Event.Asked(MachineClock.nanoTime(), name, call, wanted.name(), wanted.share()));
        try {
            Optional<Locks.Hold> acquired =
                    patient ? Optional.of(locks.acquire(wanted)) : locks.tryAcquire(wanted, Duration.ofMillis(200));
            if (acquired.isEmpty()) {
                withdrawn(call, "busy");
                return;
            }
            hold(acquired.get(), call);
        } catch (Locks.Failed e) {
            withdrawn(call, "failed: " + e.getMessage());
        } catch (InterruptedException e) {
            withdrawn(call, INTERRUPTED);
            throw e;
        }
    }

    private void withdrawn(long call, String why) {
        history.add(new Event.Withdrawn(MachineClock.nanoTime(), name, call, why));
    }

    /**
     * Holds a lock, and looks at it meanwhile. Each look reads the time first, then the time left, then whether the
     * lease is valid. So what is seen to be valid was valid at the time that was read; the end that is written down is
     * never later than the one that the lease meant; and a lease that says that no time is left and then that it is
     * valid is caught.
     */
    private void hold(Locks.Hold granted, long call) throws InterruptedException {
        long believed = MachineClock.nanoTime();
        long stated = end(believed, granted);
        if (!granted.isValid()) {
            withdrawn(call, "over on arrival");
            giveBack(granted);
            return;
        }
        history.add(new Event.Granted(believed, name, call, granted.token(), granted.slot(), stated));
        granted.listen(
                () -> history.add(new Event.AtRisk(MachineClock.nanoTime(), name, call)),
                () -> history.add(new Event.Lost(MachineClock.nanoTime(), name, call)));
        long until = believed + workNanos();
        boolean valid = true;
        for (long now = MachineClock.nanoTime(); now < until && !finishing; now = MachineClock.nanoTime()) {
            long end = end(now, granted);
            valid = kind == Kind.HEEDLESS || granted.isValid();
            if (!valid) {
                break;
            }
            believed = now;
            // A renewal states an end that is later by far more than the looks are apart.
            if (end > now && end - stated > lease.toNanos() / 10) {
                stated = end;
                history.add(new Event.Renewed(now, name, call, stated));
            }
            stated = end > now ? Math.max(stated, end) : stated;
            LockSupport.parkNanos(LOOK_NANOS);
        }
        long ended = MachineClock.nanoTime();
        boolean kept = giveBack(granted) && valid;
        history.add(new Event.Released(ended, name, call, believed, stated, kept));
    }

    private static long end(long now, Locks.Hold hold) {
        Duration remaining = hold.remaining();
        return remaining == null ? HoldRecord.NEVER : now + remaining.toNanos();
    }

    /**
     * Returns whether the lock was the worker's until then. If the store has not answered, the hold is over all the same.
     */
    private static boolean giveBack(Locks.Hold hold) throws InterruptedException {
        try {
            return hold.release();
        } catch (Locks.Failed e) {
            return true;
        }
    }

    /**
     * Returns a time that is mostly short; now and then it is long enough for renewals to matter. A heedless worker's is
     * always longer than its lease.
     */
    private long workNanos() {
        double leases = 0;
        if (kind == Kind.HEEDLESS) {
            leases = 1.1 + random.nextDouble();
        } else if (random.nextInt(12) == 0) {
            leases = 0.5 + random.nextDouble();
        }
        return (5 + random.nextInt(40)) * 1_000_000L + (long) (leases * lease.toNanos());
    }
}
