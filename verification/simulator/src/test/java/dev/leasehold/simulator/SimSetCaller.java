package dev.leasehold.simulator;

import dev.leasehold.LeaseSet;
import dev.leasehold.LockException;
import dev.leasehold.LockSet;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A simulated caller of sets asks for several names at once, holds them for a while, and releases or forgets them together. */
final class SimSetCaller extends SimActor {

    private final List<String> shared = new ArrayList<>();
    private boolean busy;
    private boolean cancelled;
    private long askedAt;
    private long limit;

    SimSetCaller(SimMember member, SimFindings findings, SimJudge judge, String name, SplittableRandom chance) {
        super(member, findings, judge, name, chance);
    }

    @Override
    void start() {
        later(chance.nextLong(scenario.lease), this::ask);
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
        cancelled = false;
        askedAt = world.now();
        LockSet set = names().withOptions(options());
        int way = chance.nextInt(10);
        limit = way < 4 ? Long.MAX_VALUE / 2 : way < 7 ? 0 : 1 + chance.nextLong(scenario.lease * 2);
        world.note(name, "asks for a set", set.names(), limit);
        if (way < 4) {
            CompletableFuture<LeaseSet> future = set.acquireAsync();
            future.whenComplete(this::answered);
            maybeCancel(future);
        } else {
            CompletableFuture<Optional<LeaseSet>> future = set.tryAcquireAsync(Duration.ofNanos(limit));
            future.whenComplete((leases, failure) -> answered(leases == null ? null : leases.orElse(null), failure));
            maybeCancel(future);
        }
    }

    private LockSet names() {
        LockSet set = client.lockAll("lock-" + chance.nextInt(scenario.locks));
        shared.clear();
        for (int i = chance.nextInt(4); i > 0; i--) {
            String lock = "lock-" + chance.nextInt(scenario.locks + 2);
            if (!set.names().contains(lock) && scenario.shared && chance.nextBoolean()) {
                set = set.shared(lock);
                shared.add(lock);
            } else if (!shared.contains(lock)) {
                set = set.exclusive(lock);
            }
        }
        return set;
    }

    private void maybeCancel(CompletableFuture<?> future) {
        if (chance.nextInt(6) == 0) {
            later(chance.nextLong(scenario.lease), () -> {
                if (!future.isDone()) {
                    world.note(name, "cancels a set");
                    cancelled = true;
                    future.completeExceptionally(new TimeoutException("simulated"));
                }
            });
        }
    }

    private void answered(@Nullable LeaseSet leases, @Nullable Throwable failure) {
        if (leases != null) {
            hold(leases);
            return;
        }
        if (failure != null) {
            failed(Causes.of(failure));
        } else {
            world.note(name, "is told that a set is busy");
            if (world.now() - askedAt < limit - limit / 50 - SimScenario.MS) {
                findings.add("PROGRESS", name + " was told busy before its waiting time was over");
            }
        }
        again();
    }

    private void failed(Throwable failure) {
        world.note(name, "fails to get a set", failure.getClass().getSimpleName());
        boolean expected = cancelled
                || (failure instanceof StoreUnavailableException
                        ? !scenario.calm
                        : failure instanceof LockException
                                ? scenario.refusals
                                : closing
                                        && failure instanceof IllegalStateException
                                        && !(failure instanceof CancellationException));
        if (!expected) {
            findings.add("API", name + " got an unexpected " + failure);
        }
    }

    private void hold(LeaseSet leases) {
        world.note(name, "gets a set", leases.names());
        List<SimHold> all = new ArrayList<>();
        for (String lock : leases.names()) {
            int share = shared.contains(lock) ? Claim.UNLIMITED : Claim.EXCLUSIVE;
            SimHold hold = judge.begins(
                    process, clientId, new SimSetLease(leases, lock, share), share, scenario.localHandOvers);
            if (hold != null) {
                all.add(hold);
            }
        }
        held.addAll(all);
        long time = chance.nextLong(scenario.lease * (chance.nextInt(4) == 0 ? 3 : 1));
        later(chance.nextLong(time + 1), () -> all.forEach(SimHold::isValid));
        if (chance.nextInt(20) == 0) {
            again();
        } else {
            later(time, () -> release(leases, all));
        }
    }

    private void release(LeaseSet leases, List<SimHold> all) {
        world.note(name, "releases a set", leases.state());
        all.forEach(SimHold::isValid);
        all.forEach(SimHold::releaseCalled);
        withoutWaiting(leases::release);
        if (leases.isValid()) {
            findings.add("TRUTH", name + " has a set that is valid after its release");
        }
        again();
    }

    private void again() {
        busy = false;
        later(chance.nextLong(scenario.lease * 2), this::ask);
    }

    @Override
    public String toString() {
        return name + (busy ? " has asked for a set" : " idle");
    }
}
