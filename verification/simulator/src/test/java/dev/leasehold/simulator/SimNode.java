package dev.leasehold.simulator;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A simulated node is the store contract as a state machine: a request and the time go in, an answer and signals come out.
 * It has no clock, no threads and no randomness, so a real store can be compared with it step by step. Not thread-safe.
 *
 * <p>A lock has holders, each until its end, and what is kept of some without a holder, each until its end. Nothing happens
 * at an end: a holder whose end has passed counts as gone, and the queue has its turn when somebody asks next. That is the
 * only way in which time changes anything.
 */
public final class SimNode {

    private final Set<SimGuard> off;
    private final TreeMap<String, SimLock> locks = new TreeMap<>();
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
        SimLock lock = locks.computeIfAbsent(request.lock(), name -> new SimLock(off));
        List<SimSignal> signals = new ArrayList<>();
        SimAnswer answer;
        if (request instanceof SimRequest.Ask ask) {
            answer = claim(lock, ask, time, signals);
        } else if (request instanceof SimRequest.Renew renew) {
            answer = renew(lock, renew.lease(), renew.duration(), time);
        } else if (request instanceof SimRequest.Downgrade downgrade) {
            answer = downgrade(lock, downgrade, time, signals);
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
     * Returns whether a lease is there.
     *
     * @param name the lock's name
     * @param token any token of the lease's run
     * @param micros the node's clock
     * @return true until its end
     */
    public boolean isHeld(String name, long token, long micros) {
        SimLock lock = locks.get(name);
        return lock != null && lock.holder(micros, held -> held.has(token)) != null;
    }

    /**
     * Returns when the last lease of a lock or the keeping of it ends.
     *
     * @param name the lock's name
     * @return by the node's clock, or 0 where nobody has it
     */
    public long endOf(String name) {
        SimLock lock = locks.get(name);
        return lock == null
                ? 0
                : lock.holders.stream().mapToLong(held -> held.end).max().orElse(0);
    }

    /** Returns the holders of a lock that are alive, each as a copy that does not change. */
    List<SimLock.Held> holders(String name, long micros) {
        SimLock lock = locks.get(name);
        return lock == null ? List.of() : lock.live(micros);
    }

    /**
     * Returns which locks somebody holds, keeps or waits for.
     *
     * @param micros the node's clock
     * @return in words, in the order of their names
     */
    public List<String> busy(long micros) {
        List<String> found = new ArrayList<>();
        locks.forEach((name, lock) -> {
            for (SimLock.Held held : lock.live(micros)) {
                found.add(name + (held.kept ? " is kept" : " is held by " + held.lease) + " for another "
                        + (held.end - micros) + " µs");
            }
            for (SimLock.Waiter waiter : lock.queue) {
                if (waiter.aliveUntil() > micros) {
                    found.add(name + " is waited for by " + waiter.claim() + ", alive for another "
                            + (waiter.aliveUntil() - micros) + " µs");
                }
            }
        });
        return found;
    }

    /** Returns the leases of a client that are alive. */
    List<LeaseId> leasesOf(String client, long micros) {
        return locks.values().stream()
                .flatMap(lock -> lock.live(micros).stream())
                .filter(held -> !held.kept && held.lease.claim().client().equals(client))
                .map(held -> held.lease)
                .toList();
    }

    /**
     * Returns whether a lock is free although somebody waits for it.
     *
     * @param name the lock's name
     * @param micros the node's clock
     * @return true if so
     */
    public boolean isIdle(String name, long micros) {
        SimLock lock = locks.get(name);
        return lock != null
                && !lock.isTaken(micros)
                && lock.queue.stream().anyMatch(waiter -> waiter.aliveUntil() > micros);
    }

    /** {@return how many requests were carried out} */
    public long executed() {
        return executed;
    }

    /**
     * Returns the lease of a lock.
     *
     * @param name the lock's name
     * @return the last one, whether it is over or not, or null if there was none or it was released
     */
    public @Nullable LeaseId lease(String name) {
        SimLock lock = locks.get(name);
        return lock == null || lock.holders.isEmpty() ? null : lock.holders.get(lock.holders.size() - 1).lease;
    }

    /** {@return the greatest token given out or reserved, 0 if none} */
    public long greatestToken() {
        return locks.values().stream().mapToLong(lock -> lock.last).max().orElse(0);
    }

    private SimAnswer claim(SimLock lock, SimRequest.Ask ask, NodeTime time, List<SimSignal> signals) {
        Claim claim = ask.claim();
        long now = time.micros();
        long lease = claim.lease().toNanos() / 1000;
        SimLock.Held own = lock.holder(now, held -> held.lease.claim().equals(claim.id()));
        if (own != null) {
            long end = now + lease;
            own.end = off.contains(SimGuard.CLAIM_NEVER_SHORTENS) ? end : Math.max(own.end, end);
            if (off.contains(SimGuard.SHARE_IS_ONLY_LOOSENED)) {
                own.share = claim.share();
            }
            if (off.contains(SimGuard.SLOT_IS_FIXED)) {
                own.slot = lock.slot(own.share, now);
            }
            return new SimAnswer.Granted(own.lease, own.spare, own.slot, own.end - now);
        }
        passOverTheDead(lock, now);
        int index = lock.indexOf(claim.id());
        SimLock.Waiter asker = new SimLock.Waiter(
                claim.id(),
                ask.owner(),
                index >= 0 ? lock.queue.get(index).share() : claim.share(),
                lease,
                WaitingRules.claimPeriod(claim.lease()).toNanos() / 1000,
                claim.spare(),
                ask.stamp(),
                now + WaitingRules.aliveFor(claim.lease()).toNanos() / 1000);
        if (index >= 0) {
            lock.queue.set(index, asker);
        }
        if (off.contains(SimGuard.LEASE_LASTS)) {
            lock.holders.clear();
        }
        SimLock.Held granted = null;
        if (off.contains(SimGuard.ASKER_BEHIND_QUEUE) && lock.fits(asker.share(), now)) {
            lock.queue.removeIf(waiter -> waiter.claim().equals(claim.id()));
            granted = grant(claim.lock(), lock, asker, now + lease, time);
        } else {
            granted = handOver(claim.lock(), lock, claim.id(), time, signals);
            if (granted == null && lock.queue.isEmpty() && lock.fits(asker.share(), now)) {
                granted = grant(claim.lock(), lock, asker, now + lease, time);
            }
        }
        if (granted != null) {
            return new SimAnswer.Granted(granted.lease, granted.spare, granted.slot, lease);
        }
        if (index < 0 && claim.enqueue()) {
            lock.queue.add(asker);
        }
        SimLock.Held inTheWay = lock.lastInTheWayOf(asker.share(), now);
        SimLock.Held shown = inTheWay == null ? lock.live(now).get(0) : inTheWay;
        return new SimAnswer.Busy(
                shown.kept ? null : shown.lease.claim(),
                shown.owner,
                shown.lease.token(),
                inTheWay == null ? 0 : inTheWay.end - now,
                lock.indexOf(claim.id()) + 1);
    }

    private SimAnswer renew(SimLock lock, LeaseId lease, Duration duration, NodeTime time) {
        long now = time.micros();
        SimLock.Held own = lock.holder(now, held -> held.lease.equals(lease));
        if (own == null) {
            if (!off.contains(SimGuard.RENEW_NEVER_REVIVES) || lock.isTaken(now)) {
                return new SimAnswer.Lost();
            }
            lock.holders.clear();
            own = new SimLock.Held(lease, "", Claim.MOST_SPARE, Claim.EXCLUSIVE, Grant.NO_SLOT, 0);
            lock.holders.add(own);
        }
        long end = now + duration.toNanos() / 1000;
        own.end = off.contains(SimGuard.RENEW_NEVER_SHORTENS) ? end : Math.max(own.end, end);
        if (off.contains(SimGuard.EACH_HAS_ITS_OWN_END)) {
            for (SimLock.Held other : lock.live(now)) {
                other.end = Math.max(other.end, own.end);
            }
        }
        return new SimAnswer.Renewed(own.end - now);
    }

    private SimAnswer downgrade(SimLock lock, SimRequest.Downgrade downgrade, NodeTime time, List<SimSignal> signals) {
        SimAnswer answer = renew(lock, downgrade.lease(), downgrade.duration(), time);
        SimLock.Held own = lock.holder(time.micros(), held -> held.lease.equals(downgrade.lease()));
        if (answer instanceof SimAnswer.Renewed && own != null) {
            own.share = own.share == Claim.EXCLUSIVE ? Claim.UNLIMITED : own.share;
            // One that comes again finds room, too, where another holder has run out meanwhile.
            if (!off.contains(SimGuard.DOWNGRADE_HANDS_OVER)) {
                handOver(downgrade.lock(), lock, null, time, signals);
            }
        }
        return answer;
    }

    private SimAnswer release(
            String name, SimLock lock, SimRequest.Release release, NodeTime time, List<SimSignal> signals) {
        LeaseId wanted = release.lease();
        boolean anyClaim = off.contains(SimGuard.RELEASE_COMPARES_CLAIM);
        boolean anyToken = anyClaim || off.contains(SimGuard.RELEASE_COMPARES_TOKEN);
        SimLock.Held own = lock.holder(
                time.micros(),
                held -> (anyClaim || held.lease.claim().equals(wanted.claim()))
                        && (anyToken || held.lease.token() == wanted.token()));
        if (own == null) {
            return new SimAnswer.Ended(false);
        }
        long keep = release.keepFor().toNanos() / 1000;
        if (keep > 0 && !off.contains(SimGuard.KEPT_FOR_AS_LONG)) {
            own.kept = true;
            own.owner = "";
            own.end = time.micros() + keep;
        } else {
            lock.holders.remove(own);
            if (!off.contains(SimGuard.RELEASE_HANDS_OVER)) {
                handOver(name, lock, null, time, signals);
            }
        }
        return new SimAnswer.Ended(true);
    }

    private SimAnswer withdraw(String name, SimLock lock, ClaimId claim, NodeTime time, List<SimSignal> signals) {
        boolean waited = !off.contains(SimGuard.WITHDRAWAL_LEAVES_QUEUE)
                && lock.queue.removeIf(waiter -> waiter.claim().equals(claim));
        long now = time.micros();
        SimLock.Held own = off.contains(SimGuard.WITHDRAWAL_ENDS_LEASE)
                ? null
                : lock.holder(now, held -> held.lease.claim().equals(claim));
        if (own != null) {
            lock.holders.remove(own);
            handOver(name, lock, null, time, signals);
        } else if (waited && !off.contains(SimGuard.WITHDRAWN_WAITER_HANDS_OVER)) {
            handOver(name, lock, null, time, signals);
        }
        return new SimAnswer.Ended(own != null);
    }

    private SimAnswer breakLease(String name, SimLock lock, long token, NodeTime time, List<SimSignal> signals) {
        for (SimLock.Held held : lock.live(time.micros())) {
            if (held.has(token)) {
                if (!held.kept) {
                    signals.add(new SimSignal.Broken(held.lease));
                }
                lock.holders.remove(held);
                handOver(name, lock, null, time, signals);
                return new SimAnswer.Ended(true);
            }
        }
        return new SimAnswer.Ended(false);
    }

    /** Lets waiters in until one does not fit; returns what was given to the asker, if it was among them. */
    private SimLock.@Nullable Held handOver(
            String name, SimLock lock, @Nullable ClaimId asker, NodeTime time, List<SimSignal> signals) {
        long now = time.micros();
        passOverTheDead(lock, now);
        SimLock.Held askers = null;
        int i = off.contains(SimGuard.FIRST_WAITER_SERVED) ? lock.queue.size() - 1 : 0;
        while (i >= 0 && i < lock.queue.size()) {
            SimLock.Waiter next = lock.queue.get(i);
            if (!lock.fits(next.share(), now)) {
                if (!off.contains(SimGuard.FIRST_THAT_DOES_NOT_FIT_STOPS)) {
                    break;
                }
                i++;
                continue;
            }
            lock.queue.remove(i);
            if (next.claim().equals(asker)) {
                askers = grant(name, lock, next, now + next.leaseMicros(), time);
            } else {
                SimLock.Held granted = grant(name, lock, next, now + next.periodMicros(), time);
                signals.add(new SimSignal.HandedOver(
                        granted.lease,
                        next.spare(),
                        next.share(),
                        granted.slot,
                        next.stamp(),
                        granted.end,
                        next.periodMicros()));
                if (off.contains(SimGuard.ALL_THAT_FIT_COME_IN)) {
                    break;
                }
            }
            i = off.contains(SimGuard.FIRST_WAITER_SERVED) ? lock.queue.size() - 1 : i;
        }
        return askers;
    }

    private SimLock.Held grant(String name, SimLock lock, SimLock.Waiter to, long end, NodeTime time) {
        long now = time.micros();
        long last = off.contains(SimGuard.LAST_TOKEN_KEPT) && lock.queue.isEmpty() ? 0 : lock.last;
        LeaseId lease = new LeaseId(name, to.claim(), Math.max(last + 1, time.wallMicros()));
        lock.last = off.contains(SimGuard.RUN_RESERVED) ? lease.token() : lease.token() + to.spare();
        lock.holders.removeIf(held -> held.end <= now);
        lock.strictest = Math.min(lock.holders.isEmpty() ? Claim.UNLIMITED : lock.strictest, to.share());
        SimLock.Held granted =
                new SimLock.Held(lease, to.owner(), to.spare(), to.share(), lock.slot(to.share(), now), end);
        lock.holders.add(granted);
        return granted;
    }

    private void passOverTheDead(SimLock lock, long now) {
        if (!off.contains(SimGuard.DEAD_WAITERS_PASSED_OVER)) {
            lock.queue.removeIf(waiter -> waiter.aliveUntil() <= now);
        }
    }
}
