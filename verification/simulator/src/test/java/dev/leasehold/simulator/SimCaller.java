package dev.leasehold.simulator;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A simulated caller is one user of locks in one process: it thinks, asks for a lock in one of the ways there are, holds it
 * for a while, looks at it now and then, releases or forgets it, and begins again, until the faults end.
 */
final class SimCaller extends SimActor {

    private final List<SimCall> siblings;
    private @Nullable SimCall call;
    private boolean busy;

    SimCaller(
            SimMember member,
            SimFindings findings,
            SimJudge judge,
            String name,
            SplittableRandom chance,
            List<SimCall> siblings) {
        super(member, findings, judge, name, chance);
        this.siblings = siblings;
    }

    @Override
    void start() {
        later(chance.nextLong(scenario.lease) / 2, this::ask);
    }

    @Override
    boolean isIdle() {
        return gone || !busy;
    }

    private void ask() {
        if (closing || world.now() >= scenario.faultsEnd) {
            return;
        }
        busy = true;
        String lockName = "lock-" + chance.nextInt(scenario.locks);
        LockOptions options = options();
        int share = scenario.shared ? share() : Claim.EXCLUSIVE;
        DistributedLock lock = lock(lockName, share, options);
        long minHold = options.minHold().toNanos();
        int way = chance.nextInt(10);
        if (way < 5) {
            SimCall asked = begin(lockName, share, Long.MAX_VALUE / 2, minHold);
            CompletableFuture<Lease> future = lock.acquireAsync();
            future.whenComplete((lease, failure) -> answered(asked, lease, failure));
            maybeCancel(asked, future);
        } else {
            long limit = way < 7 ? 0 : 1 + chance.nextLong(scenario.lease * 2);
            SimCall asked = begin(lockName, share, limit, minHold);
            Duration wait = Duration.ofNanos(limit == 0 ? -chance.nextInt(2) : limit);
            CompletableFuture<Optional<Lease>> future = lock.tryAcquireAsync(wait);
            future.whenComplete(
                    (lease, failure) -> answered(asked, lease == null ? null : lease.orElse(null), failure));
            maybeCancel(asked, future);
        }
    }

    /** Draws with how many to share; after the change of the number of permits some still have the old one for a while. */
    private int share() {
        int kind = chance.nextInt(10);
        if (kind < 2) {
            return Claim.EXCLUSIVE;
        } else if (kind < 6) {
            return Claim.UNLIMITED;
        }
        long changed = scenario.permitsChange + Math.abs(name.hashCode() % 5) * scenario.lease;
        return world.now() < changed ? scenario.permits : scenario.laterPermits;
    }

    private DistributedLock lock(String lockName, int share, LockOptions options) {
        return switch (share) {
            case Claim.EXCLUSIVE -> client.lock(lockName, options);
            case Claim.UNLIMITED -> client.readWriteLock(lockName, options).read();
            default -> client.semaphore(lockName, share, options);
        };
    }

    private SimCall begin(String lock, int share, long limit, long minHold) {
        SimCall asked = new SimCall(lock, share, world.happened(), world.now(), limit, minHold);
        call = asked;
        siblings.add(asked);
        world.note(name, "asks", lock, limit);
        return asked;
    }

    private void maybeCancel(SimCall asked, CompletableFuture<?> future) {
        if (chance.nextInt(8) == 0) {
            later(chance.nextLong(scenario.lease * 2), () -> {
                if (!future.isDone()) {
                    world.note(name, "cancels");
                    asked.cancelled = true;
                    if (chance.nextBoolean()) {
                        future.cancel(false);
                    } else {
                        future.completeExceptionally(new TimeoutException("simulated"));
                    }
                }
            });
        }
    }

    private void answered(SimCall asked, @Nullable Lease lease, @Nullable Throwable failure) {
        asked.done = true;
        siblings.remove(asked);
        call = null;
        checkWaitingTime(asked);
        if (failure != null) {
            failed(asked, Causes.of(failure));
        } else if (lease == null) {
            world.note(name, "is told busy");
            if (world.now() - asked.askedAt < shortened(asked.limit)) {
                findings.add("PROGRESS", name + " was told busy before its waiting time was over");
            }
            again();
        } else {
            hold(asked, lease);
        }
    }

    /** Returns a waiting time by a clock that may be a hundredth fast. */
    private static long shortened(long nanos) {
        return nanos - nanos / 50 - SimScenario.MS;
    }

    // A caller that waits with a limit is answered when the limit is over, or, during an outage, a store timeout later.
    // Before the claim a release or a withdrawal may have to be answered, each with an outage of its own.
    private void checkWaitingTime(SimCall asked) {
        long limit = asked.limit + 3 * scenario.storeTimeout.toNanos();
        boolean undisturbed = process.lastStop() < asked.askedAt && process.runningSince() <= asked.askedAt;
        if (asked.limit < Long.MAX_VALUE / 2
                && undisturbed
                && world.now() - asked.askedAt > limit + limit / 50 + scenario.sloth()) {
            findings.add(
                    "PROGRESS",
                    name + " was answered only " + (world.now() - asked.askedAt) / 1000
                            + " µs after it asked, but wanted to wait " + asked.limit / 1000 + " µs");
        }
    }

    /**
     * Returns the shortest outage that may fail the call: a second for a caller that only tries, or whose limit is over;
     * the store timeout for one that still waits.
     */
    private long leastOutage(SimCall asked) {
        return Math.min(scenario.storeTimeout.toNanos(), Math.max(asked.limit, 1_000 * SimScenario.MS));
    }

    private void failed(SimCall asked, Throwable failure) {
        world.note(name, "fails", failure.getClass().getSimpleName());
        boolean expected = asked.cancelled;
        if (!expected && failure instanceof IllegalStateException) {
            expected = closing && !(failure instanceof CancellationException);
        } else if (!expected) {
            expected = failure instanceof StoreUnavailableException
                    ? !scenario.calm && world.now() - asked.askedAt > shortened(leastOutage(asked))
                    : failure instanceof LockException && scenario.refusals;
        }
        if (!expected) {
            findings.add("API", name + " got an unexpected " + failure);
        }
        again();
    }

    private void hold(SimCall asked, Lease lease) {
        for (SimCall other : siblings) {
            if (other.lock.equals(asked.lock)
                    && other.share == asked.share
                    && other.order < asked.order
                    && other.waitsAt(world.now())) {
                findings.add(
                        "ORDER",
                        name + " got '" + asked.lock + "' before another caller of its process that asked "
                                + (asked.askedAt - other.askedAt) / 1000 + " µs earlier");
            }
        }
        SimHold hold = judge.begins(process, clientId, lease, asked.share, scenario.localHandOvers);
        if (hold == null) {
            again();
            return;
        }
        boolean local = lease.token() > hold.grant().lease.token();
        world.note(name, local ? "gets by local hand-over" : "gets", asked.lock, lease.token());
        held.add(hold);
        int kind = chance.nextInt(10);
        long time = 0;
        if (kind >= (scenario.emptyHolds ? 9 : 4)) {
            time = kind < 8 ? chance.nextLong(scenario.lease / 2) : chance.nextLong(scenario.lease * 3);
        }
        if (time > 0) {
            later(chance.nextLong(time), hold::isValid);
            if (chance.nextInt(4) == 0) {
                later(chance.nextLong(time), () -> extend(hold));
            }
        }
        if (scenario.shared) {
            share(hold, time);
        }
        boolean forgets = chance.nextInt(20) == 0;
        later(time, forgets ? () -> forget(hold) : () -> release(asked, hold));
    }

    /** Works under a fence, and makes a reader of a writer now and then. */
    private void share(SimHold hold, long time) {
        if (hold.lease().isExclusive() && time > 0 && chance.nextInt(3) == 0) {
            later(chance.nextLong(time), () -> downgrade(hold));
        }
        judge.works(hold);
        if (time > 0) {
            later(chance.nextLong(time), () -> judge.works(hold));
            later(time + chance.nextLong(scenario.lease), () -> judge.works(hold));
        }
    }

    private void downgrade(SimHold hold) {
        world.note(name, "downgrades");
        withoutWaiting(() -> hold.lease().downgrade());
    }

    private void extend(SimHold hold) {
        Duration most = Duration.ofNanos(scenario.longestLease());
        Duration more = LockOptions.SHORTEST_LEASE.plusNanos(
                chance.nextLong(most.minus(LockOptions.SHORTEST_LEASE).toNanos()));
        world.note(name, "extends", more);
        withoutWaiting(() -> hold.lease().extend(more));
    }

    private void release(SimCall asked, SimHold hold) {
        boolean valid = hold.isValid();
        LeaseState before = hold.lease().state();
        world.note(
                name,
                valid ? "releases" : "releases what it has not",
                hold.lease().token());
        hold.releaseCalled();
        CompletableFuture<LeaseState> released = hold.lease().releaseAsync();
        if (hold.isValid()) {
            findings.add("TRUTH", hold + " is valid after its release");
        }
        released.whenComplete((state, failure) -> {
            world.note(
                    name,
                    "has released",
                    failure == null ? state : failure.getClass().getSimpleName());
            if (failure == null) {
                hold.released(state, before);
                if (state == LeaseState.RELEASED) {
                    judge.keeps(hold, asked.minHold);
                }
            }
        });
        again();
    }

    // Keeps the object, though: what the garbage collector sees would differ from run to run.
    private void forget(SimHold hold) {
        world.note(name, "forgets", hold.lease().token());
        again();
    }

    private void again() {
        busy = false;
        later(chance.nextInt(3) == 0 ? 0 : chance.nextLong(scenario.lease), this::ask);
    }

    @Override
    public String toString() {
        SimCall asked = call;
        return name
                + (asked == null ? " idle" : " waits for '" + asked.lock + "' since " + asked.askedAt / 1000 + " µs");
    }
}
