package dev.leasehold.redis;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.spi.ClaimId;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A model master is a model of the scripts on a master of a quorum, as a state machine: no clock, no network, no chance. The
 * differential test holds it and the scripts together; the simulator runs clients over it.
 */
public final class ModelMaster {

    private static final long MARGIN_MICROS = 2_000_000L;

    private final Set<QuorumRule> off;
    private final long maxLease;
    private final BiConsumer<ClaimId, Long> granted;

    private TreeMap<String, ModelLock> locks = new TreeMap<>();
    private String markerRun = "";
    private long markerSince;
    private String run;
    /** The history of the data within one run: it changes when the data of another master come. */
    private int history;

    private int markerHistory;
    private boolean trusted;
    private long now;

    private TreeMap<String, ModelLock> savedLocks = new TreeMap<>();
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

    /** Sets the node's clock at the next request. */
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
    }

    /**
     * A copy of it was promoted, let what was held run out by a clock that is ahead, and was followed from where the two had
     * parted; then it was made master again. It has loaded nothing.
     */
    void followCopy() {
        history++;
        locks.values().forEach(ModelLock::letRunOut);
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
        locks = copy(savedLocks);
        markerRun = savedRun;
        markerHistory = savedHistory;
        markerSince = savedSince;
    }

    public void flush() {
        locks = new TreeMap<>();
        markerRun = "";
    }

    private static TreeMap<String, ModelLock> copy(TreeMap<String, ModelLock> of) {
        TreeMap<String, ModelLock> copy = new TreeMap<>();
        of.forEach((name, lock) -> copy.put(name, lock.copy()));
        return copy;
    }

    /** Returns how long the node has no vote, zero if it has one. Any request that depends on it begins with this. */
    public Duration noVoteFor(String runNamed) {
        String mine = on(QuorumRule.RUN_ID_READ_BY_SCRIPT) ? run : runNamed;
        boolean restarted = !markerRun.isEmpty() && !markerRun.equals(mine);
        if (!markerRun.equals(mine) || (markerHistory != history && on(QuorumRule.MARKER_NAMES_ITS_HISTORY))) {
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
        locks.values().forEach(lock -> lock.age(micros));
        ageMarker(micros);
    }

    public void setLast(String name, long last) {
        lock(name).setLast(last);
    }

    /** Keeps a lock shut, or opens it. Returns whether it was shut for new readers. */
    public boolean shut(String name, long untilMicros) {
        return lock(name).shut(untilMicros, now);
    }

    public void ageMarker(long micros) {
        markerSince -= micros;
    }

    /** Returns whether an attempt has a lock or waits for it. */
    public boolean knows(String name, ClaimId attempt) {
        return lock(name).knows(attempt, now);
    }

    /** Returns a lock's state: its holder with token and spare, its last token, and its queue. */
    public String state(String name) {
        return lock(name).state(now);
    }

    // ---- the scripts ---------------------------------------------------------------------------------------------

    /** A said vote is a master's vote without its status, with the deadline as the time left. */
    public sealed interface Said {
        record Yes(long token, long micros) implements Said {}

        record Stale(long last) implements Said {}

        record TooFar(long most) implements Said {}

        record Busy(@Nullable HolderInfo holder, @Nullable Long micros, int place) implements Said {}
    }

    private ModelLock lock(String name) {
        return locks.computeIfAbsent(name, fresh -> new ModelLock(off, granted));
    }

    public Said vote(Ballot ballot) {
        return lock(ballot.lock()).vote(ballot, new ModelLock.Bounds(now, maxLease / 2, markerSince + votingAge()));
    }

    /**
     * Renews a lease.
     *
     * @return the time left; -1 if the lease is not there and the lock is free, -2 if it is not
     */
    public long renew(String name, ClaimId attempt, long token, Duration duration) {
        return lock(name).renew(attempt, token, duration, now);
    }

    public boolean release(String name, ClaimId attempt, long token, Duration keepFor) {
        return lock(name).release(attempt, token, keepFor, now);
    }

    /**
     * Withdraws an attempt.
     *
     * @param failed the attempt has never been granted the lock, and never will be
     */
    public boolean withdraw(String name, ClaimId attempt, boolean failed) {
        return lock(name).withdraw(attempt, failed, now);
    }

    public boolean breakLease(String name, long token) {
        return lock(name).breakLease(token, now);
    }
}
