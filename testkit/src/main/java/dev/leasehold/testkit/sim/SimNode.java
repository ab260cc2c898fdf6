package dev.leasehold.testkit.sim;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.WaitingRules;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The store contract as a state machine: a request and the time go in, an answer and signals come out. It has no clock,
 * no threads and no randomness, so a real store can be compared with it step by step. Not thread-safe.
 *
 * <p>A lock is in one of three conditions: <em>held</em> until its end, <em>kept</em> without a holder until its end, or
 * free. Nothing happens at an end: a lock whose end has passed counts as free, and goes to the queue when somebody asks
 * next. That is the only way in which time changes anything.
 */
public final class SimNode {

    private record Waiter(
            ClaimId claim, String owner, long leaseMicros, long periodMicros, int spare, long aliveUntil) {}

    private static final class Lock {
        @Nullable LeaseId holder;

        boolean kept;
        String owner = "";
        int spare;
        long end;
        long last;
        final List<Waiter> queue = new ArrayList<>();
    }

    private final Set<SimGuard> off;
    private final TreeMap<String, Lock> locks = new TreeMap<>();
    private long executed;

    /**
     * Makes an empty node.
     *
     * @param off the rules that it breaks; none for the true model
     */
    public SimNode(Set<SimGuard> off) {
        this.off = Set.copyOf(off);
    }

    /**
     * Carries a request out.
     *
     * @param request the request
     * @param time the node's time, never less than at the call before
     * @return its outcome
     */
    public SimReply execute(SimRequest request, NodeTime time) {
        executed++;
        Lock lock = locks.computeIfAbsent(request.lock(), name -> new Lock());
        List<SimSignal> signals = new ArrayList<>();
        SimAnswer answer;
        if (request instanceof SimRequest.Ask ask) {
            answer = claim(lock, ask.claim(), ask.owner(), time, signals);
        } else if (request instanceof SimRequest.Renew renew) {
            answer = renew(lock, renew, time);
        } else if (request instanceof SimRequest.Release release) {
            answer = release(request.lock(), lock, release, time, signals);
        } else if (request instanceof SimRequest.Withdraw withdraw) {
            answer = withdraw(request.lock(), lock, withdraw.claim(), time, signals);
        } else {
            answer = breakLease(request.lock(), lock, ((SimRequest.Break) request).token(), time, signals);
        }
        return new SimReply(answer, signals);
    }

    /** Forgets everything, tokens included. */
    public void forget() {
        locks.clear();
    }

    /**
     * Whether a lease is there.
     *
     * @param name the lock's name
     * @param token any token of the lease's run
     * @param micros the node's clock
     * @return true until its end
     */
    public boolean isHeld(String name, long token, long micros) {
        Lock lock = locks.get(name);
        if (lock == null || lock.holder == null || lock.kept || lock.end <= micros) {
            return false;
        }
        long first = lock.holder.token();
        return first <= token && token <= first + lock.spare;
    }

    /**
     * When the lease or the keeping of a lock ends.
     *
     * @param name the lock's name
     * @return by the node's clock, or 0 where nobody has it
     */
    public long endOf(String name) {
        Lock lock = locks.get(name);
        return lock == null || lock.holder == null ? 0 : lock.end;
    }

    /**
     * Which locks somebody holds, keeps or waits for.
     *
     * @param micros the node's clock
     * @return in words, in the order of their names
     */
    public List<String> busy(long micros) {
        List<String> found = new ArrayList<>();
        locks.forEach((name, lock) -> {
            if (isTaken(lock, micros)) {
                found.add(name + (lock.kept ? " is kept" : " is held by " + lock.holder) + " for another "
                        + (lock.end - micros) + " µs");
            }
            for (Waiter waiter : lock.queue) {
                if (waiter.aliveUntil > micros) {
                    found.add(name + " is waited for by " + waiter.claim + ", alive for another "
                            + (waiter.aliveUntil - micros) + " µs");
                }
            }
        });
        return found;
    }

    /**
     * Whether a lock is free although somebody waits for it.
     *
     * @param name the lock's name
     * @param micros the node's clock
     * @return true if so
     */
    public boolean isIdle(String name, long micros) {
        Lock lock = locks.get(name);
        return lock != null
                && !isTaken(lock, micros)
                && lock.queue.stream().anyMatch(waiter -> waiter.aliveUntil > micros);
    }

    /** {@return how many requests were carried out} */
    public long executed() {
        return executed;
    }

    /**
     * The lease of a lock.
     *
     * @param name the lock's name
     * @return the last one, whether it is over or not, or null if there was none or it was released
     */
    public @Nullable LeaseId lease(String name) {
        Lock lock = locks.get(name);
        return lock == null ? null : lock.holder;
    }

    /** {@return the greatest token given out or reserved, 0 if none} */
    public long greatestToken() {
        return locks.values().stream().mapToLong(lock -> lock.last).max().orElse(0);
    }

    private SimAnswer claim(Lock lock, Claim claim, String owner, NodeTime time, List<SimSignal> signals) {
        long now = time.micros();
        long lease = claim.lease().toNanos() / 1000;
        LeaseId holder = lock.holder;
        if (holder != null && isTaken(lock, now) && !lock.kept && holder.claim().equals(claim.id())) {
            long end = now + lease;
            lock.end = off.contains(SimGuard.CLAIM_NEVER_SHORTENS) ? end : Math.max(lock.end, end);
            return new SimAnswer.Granted(holder, lock.spare, lock.end - now);
        }
        boolean taken = isTaken(lock, now) && !off.contains(SimGuard.LEASE_LASTS);
        passOverTheDead(lock, now);
        Waiter asker = new Waiter(
                claim.id(),
                owner,
                lease,
                WaitingRules.claimPeriod(claim.lease()).toNanos() / 1000,
                claim.spare(),
                now + WaitingRules.aliveFor(claim.lease()).toNanos() / 1000);
        int index = indexOf(lock, claim.id());
        if (index >= 0) {
            lock.queue.set(index, asker);
        }
        if (!taken) {
            if (index == 0 || lock.queue.isEmpty() || off.contains(SimGuard.ASKER_BEHIND_QUEUE)) {
                lock.queue.removeIf(waiter -> waiter.claim.equals(claim.id()));
                LeaseId granted = grant(claim.lock(), lock, asker, now + lease, time);
                return new SimAnswer.Granted(granted, claim.spare(), lease);
            }
            handOver(claim.lock(), lock, time, signals);
        }
        if (index < 0 && claim.enqueue()) {
            lock.queue.add(asker);
        }
        LeaseId other = lock.holder;
        return new SimAnswer.Busy(
                other == null || lock.kept ? null : other.claim(),
                lock.owner,
                other == null ? 0 : other.token(),
                lock.end - now,
                indexOf(lock, claim.id()) + 1);
    }

    private SimAnswer renew(Lock lock, SimRequest.Renew renew, NodeTime time) {
        long now = time.micros();
        boolean there = renew.lease().equals(lock.holder) && !lock.kept && isTaken(lock, now);
        if (!there) {
            if (!off.contains(SimGuard.RENEW_NEVER_REVIVES) || isTaken(lock, now)) {
                return new SimAnswer.Lost();
            }
            lock.holder = renew.lease();
            lock.kept = false;
            lock.spare = Claim.MOST_SPARE;
        }
        long end = now + renew.duration().toNanos() / 1000;
        lock.end = off.contains(SimGuard.RENEW_NEVER_SHORTENS) ? end : Math.max(lock.end, end);
        return new SimAnswer.Renewed(lock.end - now);
    }

    private SimAnswer release(
            String name, Lock lock, SimRequest.Release release, NodeTime time, List<SimSignal> signals) {
        LeaseId holder = lock.holder;
        LeaseId wanted = release.lease();
        boolean there = holder != null
                && !lock.kept
                && isTaken(lock, time.micros())
                && (holder.claim().equals(wanted.claim()) || off.contains(SimGuard.RELEASE_COMPARES_CLAIM))
                && (holder.token() == wanted.token()
                        || off.contains(SimGuard.RELEASE_COMPARES_TOKEN)
                        || off.contains(SimGuard.RELEASE_COMPARES_CLAIM));
        if (!there) {
            return new SimAnswer.Ended(false);
        }
        long keep = release.keepFor().toNanos() / 1000;
        if (keep > 0 && !off.contains(SimGuard.KEPT_FOR_AS_LONG)) {
            lock.kept = true;
            lock.owner = "";
            lock.end = time.micros() + keep;
        } else {
            free(lock);
            if (!off.contains(SimGuard.RELEASE_HANDS_OVER)) {
                handOver(name, lock, time, signals);
            }
        }
        return new SimAnswer.Ended(true);
    }

    private SimAnswer withdraw(String name, Lock lock, ClaimId claim, NodeTime time, List<SimSignal> signals) {
        if (!off.contains(SimGuard.WITHDRAWAL_LEAVES_QUEUE)) {
            lock.queue.removeIf(waiter -> waiter.claim.equals(claim));
        }
        LeaseId holder = lock.holder;
        boolean granted = holder != null
                && !lock.kept
                && isTaken(lock, time.micros())
                && holder.claim().equals(claim)
                && !off.contains(SimGuard.WITHDRAWAL_ENDS_LEASE);
        if (granted) {
            free(lock);
            handOver(name, lock, time, signals);
        }
        return new SimAnswer.Ended(granted);
    }

    private SimAnswer breakLease(String name, Lock lock, long token, NodeTime time, List<SimSignal> signals) {
        LeaseId holder = lock.holder;
        if (holder == null
                || !isTaken(lock, time.micros())
                || token < holder.token()
                || token > holder.token() + lock.spare) {
            return new SimAnswer.Ended(false);
        }
        if (!lock.kept) {
            signals.add(new SimSignal.Broken(holder));
        }
        free(lock);
        handOver(name, lock, time, signals);
        return new SimAnswer.Ended(true);
    }

    private void handOver(String name, Lock lock, NodeTime time, List<SimSignal> signals) {
        long now = time.micros();
        passOverTheDead(lock, now);
        if (lock.queue.isEmpty()) {
            return;
        }
        Waiter next = lock.queue.remove(off.contains(SimGuard.FIRST_WAITER_SERVED) ? lock.queue.size() - 1 : 0);
        LeaseId lease = grant(name, lock, next, now + next.periodMicros, time);
        signals.add(new SimSignal.HandedOver(lease, next.spare, lock.end, next.periodMicros));
    }

    private LeaseId grant(String name, Lock lock, Waiter to, long end, NodeTime time) {
        long last = off.contains(SimGuard.LAST_TOKEN_KEPT) && lock.queue.isEmpty() ? 0 : lock.last;
        LeaseId lease = new LeaseId(name, to.claim, Math.max(last + 1, time.wallMicros()));
        lock.last = off.contains(SimGuard.RUN_RESERVED) ? lease.token() : lease.token() + to.spare;
        lock.holder = lease;
        lock.kept = false;
        lock.owner = to.owner;
        lock.spare = to.spare;
        lock.end = end;
        return lease;
    }

    private void passOverTheDead(Lock lock, long now) {
        if (!off.contains(SimGuard.DEAD_WAITERS_PASSED_OVER)) {
            Iterator<Waiter> waiters = lock.queue.iterator();
            while (waiters.hasNext()) {
                if (waiters.next().aliveUntil <= now) {
                    waiters.remove();
                }
            }
        }
    }

    private static void free(Lock lock) {
        lock.holder = null;
        lock.kept = false;
        lock.owner = "";
        lock.end = 0;
    }

    private static boolean isTaken(Lock lock, long now) {
        return lock.holder != null && lock.end > now;
    }

    private static int indexOf(Lock lock, ClaimId claim) {
        for (int i = 0; i < lock.queue.size(); i++) {
            if (lock.queue.get(i).claim.equals(claim)) {
                return i;
            }
        }
        return -1;
    }
}
