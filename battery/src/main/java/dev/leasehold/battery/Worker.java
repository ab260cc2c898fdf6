package dev.leasehold.battery;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker asks for locks again and again, holds them for a while, looks at its lease every few milliseconds meanwhile, and
 * writes down what it saw. What it does follows from its seed; when it does it does not.
 */
final class Worker implements Runnable {

    /** How a worker treats its lease. */
    enum Kind {
        /** It stops as soon as its lease is not valid. */
        CAREFUL,
        /** It never looks at its lease, works for longer, and does not renew: what a judge has to find. */
        HEEDLESS
    }

    /** Why a call ended that was still waiting some seconds after all workers had been ordered to end. */
    static final String INTERRUPTED = "interrupted";

    private static final long LOOK_NANOS = 3_000_000;
    private static final int PERMITS = 2;

    private final String name;
    private final Leasehold leasehold;
    private final History history;
    private final Duration lease;
    private final Random random;
    private final Kind kind;
    private volatile boolean finishing;
    private long calls;

    Worker(String name, Leasehold leasehold, History history, Duration lease, Random random, Kind kind) {
        this.name = name;
        this.leasehold = leasehold;
        this.history = history;
        this.lease = lease;
        this.random = random;
        this.kind = kind;
    }

    void finish() {
        finishing = true;
    }

    @Override
    public void run() {
        try {
            while (!finishing) {
                once();
                LockSupport.parkNanos(random.nextInt(60) * 1_000_000L);
            }
        } catch (InterruptedException e) {
            // The end was ordered while it waited.
        }
    }

    private record Wanted(DistributedLock lock, int share) {}

    /** A mutex where the store refuses the kind of lock that was drawn. */
    private Wanted choose() {
        int choice = random.nextInt(10);
        try {
            return switch (choice) {
                case 6 -> new Wanted(leasehold.readWriteLock("battery-rw").write(), 1);
                case 7, 8 -> new Wanted(leasehold.readWriteLock("battery-rw").read(), Integer.MAX_VALUE);
                case 9 -> new Wanted(leasehold.semaphore("battery-permits", PERMITS), PERMITS);
                default -> mutex();
            };
        } catch (UnsupportedOperationException e) {
            return mutex();
        }
    }

    private Wanted mutex() {
        return new Wanted(leasehold.lock("battery-mutex"), 1);
    }

    private void once() throws InterruptedException {
        Wanted wanted = choose();
        boolean patient = random.nextInt(10) > 0;
        long call = ++calls;
        history.add(new Event.Asked(System.nanoTime(), name, call, wanted.lock.name(), wanted.share));
        try {
            Optional<Lease> acquired =
                    patient ? Optional.of(wanted.lock.acquire()) : wanted.lock.tryAcquire(Duration.ofMillis(200));
            if (acquired.isEmpty()) {
                withdrawn(call, "busy");
                return;
            }
            try (Lease granted = acquired.get()) {
                hold(granted, call);
            }
        } catch (LockException e) {
            withdrawn(call, "failed: " + e.getMessage());
        } catch (InterruptedException e) {
            withdrawn(call, INTERRUPTED);
            throw e;
        }
    }

    private void withdrawn(long call, String why) {
        history.add(new Event.Withdrawn(System.nanoTime(), name, call, why));
    }

    /**
     * Each look reads the time first, then the time left, then whether the lease is valid. So what is seen to be valid was valid at
     * the time that was read; the end that is written down is never later than the one that the lease meant; and a lease
     * that says that no time is left and then that it is valid is caught.
     */
    private void hold(Lease granted, long call) throws InterruptedException {
        long believed = System.nanoTime();
        long stated = believed + granted.remaining().toNanos();
        if (!granted.isValid()) {
            withdrawn(call, "over on arrival");
            return;
        }
        history.add(new Event.Granted(
                believed, name, call, granted.token(), granted.slot().orElse(-1), stated));
        granted.onStateChange((changed, state) -> heard(state, call));
        long until = believed + workNanos();
        boolean valid = true;
        for (long now = System.nanoTime(); now < until && !finishing; now = System.nanoTime()) {
            long end = now + granted.remaining().toNanos();
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
        release(granted, call, believed, stated, valid);
    }

    private void release(Lease granted, long call, long believed, long stated, boolean valid)
            throws InterruptedException {
        boolean kept = valid;
        long ended = System.nanoTime();
        try {
            kept = granted.release() == LeaseState.RELEASED && valid;
        } catch (LockException e) {
            // Whether the store has heard of it is not known; the hold is over all the same.
        } finally {
            history.add(new Event.Released(ended, name, call, believed, stated, kept));
        }
    }

    private void heard(LeaseState state, long call) {
        if (state == LeaseState.AT_RISK) {
            history.add(new Event.AtRisk(System.nanoTime(), name, call));
        } else if (state == LeaseState.LOST) {
            history.add(new Event.Lost(System.nanoTime(), name, call));
        }
    }

    /** Mostly short; now and then long enough for renewals to matter. A heedless worker's is always longer than its lease. */
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
