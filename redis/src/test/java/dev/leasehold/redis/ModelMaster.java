package dev.leasehold.redis;

import dev.leasehold.HolderInfo;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A model of the scripts on a master of a quorum, as a state machine: no clock, no network, no chance. The differential test
 * holds it and the scripts together; the simulator runs clients over it.
 */
public final class ModelMaster {

    /** A waiter in the queue. */
    private record Waiter(ClaimId attempt, int spare, long periodMicros, long aliveUntil) {}

    private static final class Lock {
        @Nullable ClaimId holder;

        boolean kept;
        long token;
        int spare;
        long end;

        @Nullable Long last;

        /** Whether the lock's value keeps the last token from before the lock was taken. */
        boolean keepsBefore;

        @Nullable Long before;

        final List<Waiter> queue = new ArrayList<>();

        Lock copy() {
            Lock copy = new Lock();
            copy.holder = holder;
            copy.kept = kept;
            copy.token = token;
            copy.spare = spare;
            copy.end = end;
            copy.last = last;
            copy.keepsBefore = keepsBefore;
            copy.before = before;
            copy.queue.addAll(queue);
            return copy;
        }
    }

    /** A voucher that the master has given in this memory, with its history and its end. */
    private record Vouched(int history, long until) {}

    private static final long BOUND_ABOVE_LAST = 1L << 20;
    private static final long MARGIN_MICROS = 2_000_000L;

    private final Set<QuorumRule> off;
    private final long maxLease;
    private final BiConsumer<ClaimId, Long> granted;

    private TreeMap<String, Lock> locks = new TreeMap<>();
    private final TreeMap<String, Vouched> vouchers = new TreeMap<>();
    private String markerRun = "";
    private long markerSince;
    private String run;
    /** The history of the data within one run: it changes when the data of another master come. */
    private int history;

    private int markerHistory;
    private boolean trusted;
    private long now;

    private TreeMap<String, Lock> savedLocks = new TreeMap<>();
    private String savedRun = "";
    private int savedHistory;
    private long savedSince;

    /**
     * Makes a node that has a vote.
     *
     * @param granted told of a grant to one that stood in line, with the token
     */
    public ModelMaster(Set<QuorumRule> off, Duration maxLease, String run, BiConsumer<ClaimId, Long> granted) {
        this.off = off.isEmpty() ? EnumSet.noneOf(QuorumRule.class) : EnumSet.copyOf(off);
        this.maxLease = maxLease.toNanos() / 1000;
        this.run = run;
        this.granted = granted;
        markerRun = run;
        markerSince = 0;
    }

    private boolean on(QuorumRule rule) {
        return !off.contains(rule);
    }

    String run() {
        return run;
    }

    /** The node's clock at the next request. */
    public ModelMaster at(long micros) {
        now = micros;
        return this;
    }

    // ---- what happens to a server --------------------------------------------------------------------------------

    public void save() {
        savedLocks = copy(locks);
        savedRun = markerRun;
        savedHistory = markerHistory;
        savedSince = markerSince;
    }

    /** All clients trust that what it has answered is on its disk. */
    void trust() {
        trusted = true;
    }

    void restartWithEverything(String newRun) {
        run = newRun;
        forgetVouchers();
    }

    /**
     * A copy of it was promoted, let what was held run out by a clock that is ahead, and was followed from where the two had
     * parted; then it was made master again. It has loaded nothing.
     */
    void followCopy() {
        history++;
        locks.values().forEach(lock -> lock.end = 0);
    }

    int history() {
        return history;
    }

    private void forgetVouchers() {
        if (on(QuorumRule.VOUCHER_ENDS_WITH_ITS_MEMORY)) {
            vouchers.clear();
        }
    }

    /** It was for a while the replica of one that has what was saved. */
    void resynchronise() {
        history++;
        load();
    }

    void restartEmpty(String newRun) {
        run = newRun;
        flush();
    }

    public void restartFromSnapshot(String newRun) {
        run = newRun;
        load();
    }

    private void load() {
        forgetVouchers();
        locks = copy(savedLocks);
        markerRun = savedRun;
        markerHistory = savedHistory;
        markerSince = savedSince;
    }

    public void flush() {
        vouchers.clear();
        locks = new TreeMap<>();
        markerRun = "";
    }

    private static TreeMap<String, Lock> copy(TreeMap<String, Lock> of) {
        TreeMap<String, Lock> copy = new TreeMap<>();
        of.forEach((name, lock) -> copy.put(name, lock.copy()));
        return copy;
    }

    /** Returns how long the node has no vote, zero if it has one. Any request that depends on it begins with this. */
    public Duration noVoteFor(String runNamed) {
        String mine = on(QuorumRule.RUN_ID_READ_BY_SCRIPT) ? run : runNamed;
        boolean restarted = !markerRun.isEmpty() && !markerRun.equals(mine);
        if (!markerRun.equals(mine) || markerHistory != history) {
            boolean excused =
                    trusted && (restarted || (!markerRun.isEmpty() && !on(QuorumRule.TRUST_EXCUSES_RESTARTS_ONLY)));
            markerRun = mine;
            markerHistory = history;
            markerSince = excused ? markerSince : now;
        }
        markerSince = Math.min(markerSince, now);
        if (!on(QuorumRule.MARKER)) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, votingAge() - (now - markerSince)) * 1000);
    }

    private long votingAge() {
        return on(QuorumRule.MARKER_AGE) ? maxLease + maxLease / 100 + MARGIN_MICROS : maxLease / 10;
    }

    /** Makes everything that is kept that much older. */
    public void age(long micros) {
        for (Lock lock : locks.values()) {
            lock.end -= micros;
            lock.queue.replaceAll(one -> new Waiter(one.attempt, one.spare, one.periodMicros, one.aliveUntil - micros));
        }
        ageMarker(micros);
    }

    public void setLast(String name, long last) {
        lock(name).last = last;
    }

    public void ageMarker(long micros) {
        markerSince -= micros;
    }

    /** Returns whether an attempt has a lock or waits for it. */
    public boolean knows(String name, ClaimId attempt) {
        Lock lock = lock(name);
        return (isTaken(lock) && attempt.equals(lock.holder))
                || lock.queue.stream().anyMatch(waiter -> waiter.attempt.equals(attempt) && waiter.aliveUntil > now);
    }

    /** Returns a lock's state: its holder with token and spare, its last token, and its queue. */
    public String state(String name) {
        Lock lock = lock(name);
        String holder = lock.kept ? "" : String.valueOf(lock.holder);
        return (isTaken(lock) ? holder + " " + lock.token + " " + lock.spare : "free") + ", last "
                + (lock.last == null ? "none" : lock.last) + ", "
                + lock.queue.stream()
                        .filter(waiter -> waiter.aliveUntil > now)
                        .map(waiter -> waiter.attempt.toString())
                        .toList();
    }

    // ---- the scripts ---------------------------------------------------------------------------------------------

    /** A vote without its view, deadline as time left. */
    public sealed interface Said {
        record Yes(long token, long micros) implements Said {}

        record Stale(long last) implements Said {}

        record TooFar(long most) implements Said {}

        record Busy(@Nullable HolderInfo holder, @Nullable Long micros, int place) implements Said {}
    }

    private Lock lock(String name) {
        return locks.computeIfAbsent(name, fresh -> new Lock());
    }

    private boolean isTaken(Lock lock) {
        return (lock.holder != null || lock.kept) && lock.end > now;
    }

    public Said vote(Ballot ballot) {
        Lock lock = lock(ballot.lock());
        long lease = ballot.lease().toNanos() / 1000;
        long votesFrom = markerSince + votingAge();
        long last = Math.max(lock.last == null ? now - maxLease / 2 : lock.last, votesFrom - maxLease / 2);
        long most = on(QuorumRule.BOUND_ON_PROPOSALS)
                ? Math.max(now + maxLease / 2, last + BOUND_ABOVE_LAST) - ballot.spare()
                : Long.MAX_VALUE;
        if (isTaken(lock) && ballot.attempt().equals(lock.holder)) {
            return repeated(lock, ballot, lease, most);
        }
        if (ballot.kind() == Ballot.Kind.TOP_UP) {
            return topUp(lock, ballot, lease, last, most);
        }
        if (!isTaken(lock)) {
            dropSilent(lock);
            Long before = lock.last;
            boolean first = lock.queue.isEmpty() || lock.queue.get(0).attempt.equals(ballot.attempt());
            if (!first) {
                handOver(lock, true);
            } else if (ballot.token() <= last && on(QuorumRule.ACCEPT_ABOVE_LAST)) {
                return new Said.Stale(last);
            } else if (ballot.token() > most) {
                return new Said.TooFar(most);
            } else {
                lock.queue.removeIf(waiter -> waiter.attempt.equals(ballot.attempt()));
                grant(lock, ballot.attempt(), ballot.token(), ballot.spare(), lease);
                lock.keepsBefore = true;
                lock.before = before;
                return new Said.Yes(ballot.token(), lease);
            }
        }
        dropSilent(lock);
        lock.queue.removeIf(waiter -> waiter.aliveUntil <= now && waiter.attempt.equals(ballot.attempt()));
        int place = stand(lock, ballot);
        return new Said.Busy(holder(lock), lock.end - now, place);
    }

    /** Vouches for the vote that the master has just given, for a time of its own clock. */
    boolean vouch(String voucher, int historyNamed, Duration life) {
        if (historyNamed != history) {
            return false;
        }
        vouchers.put(voucher, new Vouched(history, now + life.toNanos() / 1000));
        return true;
    }

    /** The answer to a ballot that names a voucher, without a look at the marker; null where it has to be looked at. */
    @Nullable Said voteVouched(Ballot ballot, String voucher) {
        Vouched vouched = vouchers.get(voucher);
        Lock lock = lock(ballot.lock());
        if (vouched == null
                || vouched.until <= now
                || (vouched.history != history && on(QuorumRule.VOUCHER_NAMES_ITS_HISTORY))
                || isTaken(lock)
                || !lock.queue.isEmpty()
                || (lock.last != null && ballot.token() <= lock.last)) {
            return null;
        }
        Long before = lock.last;
        long lease = ballot.lease().toNanos() / 1000;
        grant(lock, ballot.attempt(), ballot.token(), ballot.spare(), lease);
        lock.keepsBefore = true;
        lock.before = before;
        return new Said.Yes(ballot.token(), lease);
    }

    private Said repeated(Lock lock, Ballot ballot, long lease, long most) {
        if (ballot.token() < lock.token && on(QuorumRule.RAISE_NEVER_LOWER)) {
            return new Said.Stale(Math.max(lock.last == null ? 0 : lock.last, lock.token));
        }
        if (ballot.token() > lock.token && ballot.token() > most) {
            return new Said.TooFar(most);
        }
        if (on(QuorumRule.GATES_GRANT_IS_NO_VOTE) || lock.token == ballot.token()) {
            lock.token = ballot.token();
            lock.spare = ballot.spare();
            long known = lock.last == null ? Long.MIN_VALUE : lock.last;
            lock.last = on(QuorumRule.RAISE_NEVER_LOWER) ? Math.max(known, ballot.endOfRun()) : ballot.endOfRun();
        }
        lock.end = on(QuorumRule.NEVER_SHORTEN) ? Math.max(lock.end, now + lease) : now + lease;
        return new Said.Yes(ballot.token(), lock.end - now);
    }

    private Said topUp(Lock lock, Ballot ballot, long lease, long last, long most) {
        if (isTaken(lock)) {
            return new Said.Busy(holder(lock), lock.end - now, 0);
        }
        if (lock.last != null && ballot.endOfRun() < lock.last && on(QuorumRule.ACCEPT_ABOVE_LAST)) {
            return new Said.Stale(lock.last);
        }
        if (ballot.token() > most) {
            return new Said.TooFar(most);
        }
        Long before = lock.last;
        grant(lock, ballot.attempt(), ballot.token(), ballot.spare(), lease);
        lock.last = Math.max(lock.last, last);
        lock.keepsBefore = true;
        lock.before = before;
        return new Said.Yes(ballot.token(), lease);
    }

    /**
     * Removes dead waiters from the front of the queue; further back they are passed over when it is their turn, or leave
     * when the first one asks.
     */
    private void dropSilent(Lock lock) {
        while (!lock.queue.isEmpty() && lock.queue.get(0).aliveUntil <= now) {
            lock.queue.remove(0);
        }
    }

    private int stand(Lock lock, Ballot ballot) {
        int index = -1;
        for (int i = 0; i < lock.queue.size(); i++) {
            index = lock.queue.get(i).attempt.equals(ballot.attempt()) ? i : index;
        }
        if (index < 0 && ballot.kind() != Ballot.Kind.QUEUE) {
            return 0;
        }
        Waiter waiter = new Waiter(
                ballot.attempt(),
                ballot.spare(),
                WaitingRules.claimPeriod(ballot.lease()).toNanos() / 1000,
                now + WaitingRules.aliveFor(ballot.lease()).toNanos() / 1000);
        if (index < 0) {
            lock.queue.add(waiter);
            return lock.queue.size();
        }
        lock.queue.set(index, waiter);
        if (index == 0) {
            lock.queue.removeIf(one -> one.aliveUntil <= now);
        }
        return index + 1;
    }

    private void grant(Lock lock, ClaimId attempt, long token, int spare, long lease) {
        lock.holder = attempt;
        lock.kept = false;
        lock.keepsBefore = false;
        lock.token = token;
        lock.spare = spare;
        lock.end = now + lease;
        lock.last = Math.max(lock.last == null ? Long.MIN_VALUE : lock.last, token + spare);
    }

    private void handOver(Lock lock, boolean keepsBefore) {
        Long before = lock.last;
        dropSilent(lock);
        if (!lock.queue.isEmpty()) {
            Waiter next = lock.queue.remove(0);
            long token = Math.max(lock.last == null ? 0 : lock.last + 1, now);
            grant(lock, next.attempt, token, next.spare, next.periodMicros);
            lock.keepsBefore = keepsBefore;
            lock.before = before;
            granted.accept(next.attempt, token);
        }
    }

    private static HolderInfo holder(Lock lock) {
        return new HolderInfo(lock.kept ? "" : String.valueOf(lock.holder), lock.token, null, null, null);
    }

    private boolean has(Lock lock, ClaimId attempt, long token) {
        return isTaken(lock) && !lock.kept && attempt.equals(lock.holder) && lock.token == token;
    }

    /**
     * A renewal.
     *
     * @return the time left; -1 if the lease is not there and the lock is free, -2 if it is not
     */
    public long renew(String name, ClaimId attempt, long token, Duration duration) {
        Lock lock = lock(name);
        if (!has(lock, attempt, token)) {
            return isTaken(lock) ? -2 : -1;
        }
        long end = now + duration.toNanos() / 1000;
        lock.end = on(QuorumRule.NEVER_SHORTEN) ? Math.max(lock.end, end) : end;
        return lock.end - now;
    }

    public boolean release(String name, ClaimId attempt, long token, Duration keepFor) {
        Lock lock = lock(name);
        if (!has(lock, attempt, token)) {
            return false;
        }
        if (!on(QuorumRule.TAKE_BACK_NO_GRANT)) {
            takeBack(lock);
        }
        lock.holder = null;
        if (keepFor.isZero()) {
            lock.end = 0;
            handOver(lock, false);
        } else {
            lock.kept = true;
            lock.end = now + keepFor.toNanos() / 1000;
        }
        return true;
    }

    /** Takes back the last token, which the attempt alone has raised: no other claim raises it while the attempt stands. */
    private static void takeBack(Lock lock) {
        if (lock.keepsBefore) {
            lock.last = lock.before;
        }
    }

    /**
     * A withdrawal.
     *
     * @param failed the attempt has never been granted the lock, and never will be
     */
    public boolean withdraw(String name, ClaimId attempt, boolean failed) {
        Lock lock = lock(name);
        boolean found = lock.queue.removeIf(waiter -> waiter.attempt.equals(attempt));
        if (isTaken(lock) && !lock.kept && attempt.equals(lock.holder)) {
            if (failed || !on(QuorumRule.TAKE_BACK_NO_GRANT)) {
                takeBack(lock);
            }
            lock.holder = null;
            lock.end = 0;
            handOver(lock, failed);
            return true;
        }
        return found;
    }

    public boolean breakLease(String name, long token) {
        Lock lock = lock(name);
        if (!isTaken(lock) || token < lock.token || token > lock.token + lock.spare) {
            return false;
        }
        lock.holder = null;
        lock.kept = false;
        lock.end = 0;
        handOver(lock, false);
        return true;
    }
}
