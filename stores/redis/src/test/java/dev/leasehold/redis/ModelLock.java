package dev.leasehold.redis;

import dev.leasehold.redis.ModelMaster.Said;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.spi.ClaimId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A ModelLock is one lock as a master of a quorum keeps it: one holder that excludes all others, or readers; last tokens;
 * a queue.
 */
final class ModelLock {

    /** Bounds are what a master knows when a ballot comes in. */
    record Bounds(long now, long half, long votesFrom) {
        long least(LastTokens last) {
            return Math.max(last.lastOr(now - half), votesFrom - half);
        }

        long most(LastTokens last) {
            return Math.max(now + half, least(last) + (1L << 20));
        }
    }

    private static final long SHUT_FOR_MICROS = 150_000L;

    private final Set<QuorumRule> off;
    private final BiConsumer<ClaimId, Long> granted;
    private final List<ModelHolder> holders = new ArrayList<>();
    private final ModelQueue queue;
    private LastTokens last = LastTokens.NONE;
    private long shutUntil;

    /** These would be the last tokens without the holders; null where that is not kept. */
    private @Nullable LastTokens before;

    ModelLock(Set<QuorumRule> off, BiConsumer<ClaimId, Long> granted) {
        this(off, granted, new ModelQueue());
    }

    private ModelLock(Set<QuorumRule> off, BiConsumer<ClaimId, Long> granted, ModelQueue queue) {
        this.off = off;
        this.granted = granted;
        this.queue = queue;
    }

    ModelLock copy() {
        ModelLock copy = new ModelLock(off, granted, queue.copy());
        holders.forEach(holder -> copy.holders.add(holder.copy()));
        copy.last = last;
        copy.before = before;
        copy.shutUntil = shutUntil;
        return copy;
    }

    private boolean on(QuorumRule rule) {
        return !off.contains(rule);
    }

    void letRunOut() {
        holders.forEach(holder -> holder.end = 0);
    }

    void age(long micros) {
        holders.forEach(holder -> holder.end -= micros);
        shutUntil -= micros;
        queue.age(micros);
    }

    void setLast(long token) {
        last = LastTokens.exclusive(token);
    }

    boolean shut(long until, long now) {
        boolean was = shutUntil > now;
        shutUntil = until;
        return was;
    }

    boolean knows(ClaimId attempt, long now) {
        return holders.stream().anyMatch(holder -> holder.end > now && attempt.equals(holder.attempt))
                || queue.knows(attempt, now);
    }

    String state(long now) {
        prune(now);
        String held = "free";
        if (areReaders()) {
            held = "readers after " + before + " "
                    + holders.stream()
                            .map(one -> one.name() + " " + one.token)
                            .sorted()
                            .toList();
        } else if (!holders.isEmpty()) {
            held = holders.get(0).name() + " " + holders.get(0).token + " " + holders.get(0).spare;
        }
        return held + ", last " + last + ", " + queue.alive(now);
    }

    private boolean areReaders() {
        return !holders.isEmpty() && holders.get(0).shares;
    }

    private @Nullable ModelHolder of(ClaimId attempt) {
        return holders.stream()
                .filter(holder -> attempt.equals(holder.attempt))
                .findFirst()
                .orElse(null);
    }

    private boolean fits(boolean shares) {
        return holders.isEmpty()
                || (shares
                        ? areReaders() || !on(QuorumRule.READERS_BESIDE_READERS_ONLY)
                        : areReaders() && !on(QuorumRule.WRITER_ALONE));
    }

    private void prune(long now) {
        List<ModelHolder> over =
                holders.stream().filter(holder -> holder.end <= now).toList();
        over.forEach(this::leaves);
    }

    /** Removes a holder that goes, and not as a failed attempt. */
    private void leaves(ModelHolder holder) {
        holders.remove(holder);
        if (before != null && holder.shares && on(QuorumRule.READERS_LEAVE_A_TRACE)) {
            before = before.withReader(holder.token);
        }
    }

    private void add(ModelHolder holder, boolean keepsBefore) {
        if (holders.isEmpty()) {
            before = keepsBefore || holder.shares ? last : null;
        }
        holders.add(holder);
        if (!on(QuorumRule.AN_END_OF_ITS_OWN)) {
            holders.forEach(one -> one.end = holder.end);
        }
        last = holder.shares
                ? last.withReader(holder.token)
                : LastTokens.exclusive(Math.max(last.lastOr(Long.MIN_VALUE), holder.token + holder.spare));
    }

    private void takeBack(ModelHolder failed) {
        LastTokens least = before;
        if (least == null) {
            return;
        }
        for (ModelHolder other : holders) {
            if (other != failed && on(QuorumRule.TAKE_BACK_ITS_OWN)) {
                least = least.withReader(other.token);
            }
        }
        last = least;
    }

    Said vote(Ballot ballot, Bounds bounds) {
        long now = bounds.now;
        prune(now);
        ModelHolder own = of(ballot.attempt());
        if (own != null) {
            return repeated(own, ballot, bounds);
        }
        if (ballot.kind() == Ballot.Kind.TOP_UP) {
            return topUp(ballot, bounds);
        }
        if (holders.isEmpty() || areReaders() || !on(QuorumRule.READERS_BESIDE_READERS_ONLY)) {
            long least = bounds.least(last);
            boolean enters = handOver(now, true, ballot);
            least = holders.isEmpty() ? least : bounds.least(last);
            boolean shut = ballot.shares() && ballot.kind() == Ballot.Kind.CLAIM && shutUntil > now;
            if (enters && !shut) {
                if (ballot.token() <= least && on(QuorumRule.ACCEPT_ABOVE_LAST)) {
                    return new Said.Stale(least);
                } else if (ballot.token() > most(ballot, bounds)) {
                    return new Said.TooFar(most(ballot, bounds));
                }
                queue.remove(ballot.attempt());
                return accept(ballot, now);
            }
        }
        queue.dropSilent(now);
        queue.removeIfSilent(ballot.attempt(), now);
        if (areReaders() && !ballot.shares() && on(QuorumRule.REFUSED_WRITER_SHUTS_READERS_OUT)) {
            shutUntil = now + SHUT_FOR_MICROS;
        }
        return busy(queue.stand(ballot, now), now);
    }

    private long most(Ballot ballot, Bounds bounds) {
        return on(QuorumRule.BOUND_ON_PROPOSALS) ? bounds.most(last) - ballot.spare() : Long.MAX_VALUE;
    }

    private Said accept(Ballot ballot, long now) {
        long lease = ballot.lease().toNanos() / 1000;
        add(new ModelHolder(ballot.attempt(), ballot.shares(), ballot.token(), ballot.spare(), now + lease), true);
        return new Said.Yes(ballot.token(), lease);
    }

    private Said repeated(ModelHolder own, Ballot ballot, Bounds bounds) {
        if (ballot.token() < own.token && on(QuorumRule.RAISE_NEVER_LOWER)) {
            return new Said.Stale(Math.max(last.lastOr(0), own.token));
        }
        boolean raises = ballot.token() > own.token;
        if (raises && own.shares && ballot.token() <= bounds.least(last) && on(QuorumRule.RAISE_ABOVE_LAST)) {
            return new Said.Stale(bounds.least(last));
        }
        if (raises && ballot.token() > most(ballot, bounds)) {
            return new Said.TooFar(most(ballot, bounds));
        }
        if (on(QuorumRule.GATES_GRANT_IS_NO_VOTE) || own.token == ballot.token()) {
            own.token = ballot.token();
            own.spare = ballot.spare();
            if (own.shares) {
                last = last.withReader(ballot.token());
            } else if (!on(QuorumRule.RAISE_NEVER_LOWER) || ballot.endOfRun() > last.lastOr(Long.MIN_VALUE)) {
                last = LastTokens.exclusive(ballot.endOfRun());
            }
        }
        return new Said.Yes(ballot.token(), lasting(own, ballot.lease(), bounds.now));
    }

    private long lasting(ModelHolder holder, Duration duration, long now) {
        long end = now + duration.toNanos() / 1000;
        holder.end = on(QuorumRule.NEVER_SHORTEN) ? Math.max(holder.end, end) : end;
        return holder.end - now;
    }

    private Said topUp(Ballot ballot, Bounds bounds) {
        if (!fits(ballot.shares())) {
            return busy(0, bounds.now);
        }
        long known = ballot.shares() ? last.exclusiveOr(Long.MIN_VALUE) + 1 : last.lastOr(Long.MIN_VALUE);
        boolean compares =
                on(ballot.shares() ? QuorumRule.READERS_TOP_UP_ABOVE_EXCLUSIVE : QuorumRule.ACCEPT_ABOVE_LAST);
        if (last != LastTokens.NONE && ballot.endOfRun() < known && on(QuorumRule.ACCEPT_ABOVE_LAST) && compares) {
            return new Said.Stale(ballot.shares() ? known - 1 : known);
        }
        if (ballot.token() > most(ballot, bounds)) {
            return new Said.TooFar(most(ballot, bounds));
        }
        long floor = bounds.least(last);
        Said said = accept(ballot, bounds.now);
        last = ballot.shares() ? last.withReader(floor) : LastTokens.exclusive(Math.max(last.lastOr(floor), floor));
        return said;
    }

    private Said busy(int place, long now) {
        if (holders.isEmpty()) {
            return new Said.Busy(null, shutUntil > now ? shutUntil - now : null, place);
        }
        ModelHolder shown =
                holders.stream().min(Comparator.comparingLong(one -> one.token)).orElseThrow();
        long end = holders.stream().mapToLong(one -> one.end).max().orElseThrow();
        return new Said.Busy(shown.info(), end - now, place);
    }

    /** Lets in who waits and fits, from the first on. Returns whether the asker, if there is one, may come in after them. */
    private boolean handOver(long now, boolean keepsBefore, @Nullable Ballot asker) {
        queue.dropSilent(now);
        for (ModelQueue.Waiter next = queue.first(); next != null; next = queue.first()) {
            if (of(next.attempt()) != null) {
                queue.removeFirst();
                queue.dropSilent(now);
                continue;
            }
            boolean fits = on(QuorumRule.GATE_GRANTS_WHO_FITS) ? fits(next.shares()) : !next.shares() || areReaders();
            if (!holders.isEmpty() && !fits) {
                return false;
            }
            if (asker != null && next.attempt().equals(asker.attempt())) {
                return true;
            }
            queue.removeFirst();
            long token = Math.max(last.lastOr(-1) + 1, now);
            long end = now + next.periodMicros();
            add(new ModelHolder(next.attempt(), next.shares(), token, next.spare(), end), keepsBefore);
            granted.accept(next.attempt(), token);
            if (!next.shares()) {
                return false;
            }
            queue.dropSilent(now);
        }
        return asker != null && fits(asker.shares());
    }

    /** The time left; -1 if the lease is not there and the lock is free, -2 if it is not. */
    long renew(ClaimId attempt, long token, Duration duration, long now) {
        prune(now);
        ModelHolder own = of(attempt);
        if (own == null || own.token != token) {
            return holders.isEmpty() ? -1 : -2;
        }
        own.shares |= !on(QuorumRule.RENEWALS_CARRY_THE_SHARE);
        return lasting(own, duration, now);
    }

    boolean release(ClaimId attempt, long token, Duration keepFor, long now) {
        prune(now);
        ModelHolder own = of(attempt);
        boolean found = own != null && own.is(attempt, token);
        boolean readers = areReaders();
        if (found) {
            if (!on(QuorumRule.TAKE_BACK_NO_GRANT)) {
                takeBack(own);
            }
            if (keepFor.isZero()) {
                ends(own);
            } else {
                own.attempt = null;
                own.end = now + keepFor.toNanos() / 1000;
            }
        }
        if ((found || readers) && keepFor.isZero()) {
            handOver(now, false, null);
        }
        return found;
    }

    private void ends(ModelHolder holder) {
        leaves(holder);
        if (!on(QuorumRule.RELEASE_CONCERNS_ONE)) {
            holders.clear();
        }
    }

    boolean withdraw(ClaimId attempt, boolean failed, long now) {
        prune(now);
        boolean found = queue.remove(attempt);
        ModelHolder own = of(attempt);
        boolean readers = areReaders();
        if (own != null) {
            if (failed || !on(QuorumRule.TAKE_BACK_NO_GRANT)) {
                takeBack(own);
                holders.remove(own);
            } else {
                ends(own);
            }
        }
        if (own != null || readers || (found && holders.isEmpty())) {
            handOver(now, failed, null);
        }
        return found || own != null;
    }

    boolean breakLease(long token, long now) {
        prune(now);
        ModelHolder broken = holders.stream()
                .filter(holder -> token >= holder.token && token <= holder.token + holder.spare)
                .findFirst()
                .orElse(null);
        if (broken == null) {
            return false;
        }
        leaves(broken);
        handOver(now, false, null);
        return true;
    }
}
