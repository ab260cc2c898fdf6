package dev.leasehold.redis.quorum;

import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A quorum has masters, with their latest status and their silences. Thread-safe. */
public final class Quorum {

    private static final int GATE_MISSES = 3;
    private static final int MISSES_OF_THE_SILENT = 3;
    private static final int LIMITS_OF_THE_SILENT = 10;
    private static final long SILENCE_FORGOTTEN_NANOS = 3_000_000_000L;
    private static final int MOST_GATE_SELECTIONS = 1_000;

    private final String name;
    private final List<Voter> voters;
    private final TimeSource time;
    private final RandomGenerator random;
    private final QuorumSettings settings;
    private final UnaryOperator<ClaimId> attempts;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicReferenceArray<@Nullable NodeStatus> statuses;
    private final AtomicReferenceArray<@Nullable Silence> silences;
    private final AtomicReferenceArray<@Nullable CompletableFuture<NodeStatus>> looks;
    /**
     * These are the gate selections of the locks in use, kept so that the hashes are computed once and not for each
     * claim.
     */
    private final ConcurrentMap<String, GateSelection> gateSelections = new ConcurrentHashMap<>();

    /**
     * A silence of a node says how many answers in a row are missing, when the last was due, and since when. After a while
     * without another miss the count begins anew. The misses that speak against the node as a gate are counted apart, and
     * stay until it answers.
     */
    private record Silence(int misses, long at, long since, int gateMisses) {

        static Silence after(@Nullable Silence known, long now) {
            if (known == null) {
                return new Silence(1, now, now, 1);
            }
            if (now - known.at > SILENCE_FORGOTTEN_NANOS) {
                return new Silence(1, now, now, known.isNoGate() ? known.gateMisses : 1);
            }
            return new Silence(known.misses + 1, now, known.since, known.gateMisses + 1);
        }

        boolean isNoGate() {
            return gateMisses >= GATE_MISSES;
        }

        Silence forgiven() {
            return new Silence(misses, at, since, 0);
        }
    }

    /**
     * Makes a quorum.
     *
     * @param attempts names the next attempt of a claim: never used before, never again
     */
    public Quorum(
            String name,
            List<Voter> voters,
            UnaryOperator<ClaimId> attempts,
            TimeSource time,
            RandomGenerator random,
            QuorumSettings settings) {
        this.name = name;
        this.voters = List.copyOf(voters);
        this.attempts = attempts;
        this.time = time;
        this.random = random;
        this.settings = settings;
        statuses = new AtomicReferenceArray<>(voters.size());
        silences = new AtomicReferenceArray<>(voters.size());
        looks = new AtomicReferenceArray<>(voters.size());
    }

    String name() {
        return name;
    }

    int size() {
        return voters.size();
    }

    int majority() {
        return voters.size() / 2 + 1;
    }

    Voter voter(int node) {
        return voters.get(node);
    }

    List<Voter> voters() {
        return voters;
    }

    TimeSource time() {
        return time;
    }

    RandomGenerator random() {
        return random;
    }

    QuorumSettings settings() {
        return settings;
    }

    /** Returns a name for the next attempt of a claim. */
    ClaimId newAttempt(ClaimId claim) {
        return attempts.apply(claim);
    }

    /**
     * Runs a task on the thread on which the answers come in, if that is known yet and can be used. Requests to several
     * nodes from there need no other thread, so a caller wakes one thread, once.
     */
    void execute(Runnable task) {
        voters.get(0).execute(task);
    }

    /** Returns how long to wait for a node's answer: a slow node must cost neither the others nor the lease. */
    Duration nodeTimeout(Duration lease) {
        // Not by Duration.dividedBy, which calculates in decimal numbers; this is asked several times in each attempt.
        Duration tenth = Duration.ofNanos(lease.toNanos() / 10);
        return tenth.compareTo(settings.nodeTimeout()) < 0 ? tenth : settings.nodeTimeout();
    }

    /** Returns the gate selection of a lock. */
    GateSelection gateSelection(String lock) {
        GateSelection known = gateSelections.get(lock);
        if (known == null) {
            if (gateSelections.size() >= MOST_GATE_SELECTIONS) {
                gateSelections.clear();
            }
            GateSelection made = new GateSelection(lock, voters.size());
            known = gateSelections.putIfAbsent(lock, made);
            return known == null ? made : known;
        }
        return known;
    }

    void saw(int node, NodeStatus status) {
        statuses.set(node, status);
        heard(node);
    }

    /** A node has answered something. */
    void heard(int node) {
        if (silences.get(node) != null) {
            silences.set(node, null);
        }
    }

    /**
     * A node did not answer; if that happens again and again, it is no gate until it does. Where so many are silent that no
     * majority is left, that says nothing of them: it is this client that hears nothing, and others still stand where they stood.
     */
    void failed(int node) {
        silences.updateAndGet(node, known -> Silence.after(known, time.nanos()));
        int passedOver = 0;
        for (int i = 0; i < size(); i++) {
            passedOver += isPassedOver(i) ? 1 : 0;
        }
        if (passedOver > size() - majority()) {
            for (int i = 0; i < size(); i++) {
                silences.updateAndGet(i, known -> known == null ? null : known.forgiven());
            }
        }
    }

    /**
     * Returns whether a node that can be written to is down all the same, and not just late: it has answered nothing for ten
     * of its time limits.
     */
    boolean isSilent(int node) {
        Silence known = silences.get(node);
        return known != null
                && known.misses >= MISSES_OF_THE_SILENT
                && time.nanos() - known.since >= settings.nodeTimeout().toNanos() * LIMITS_OF_THE_SILENT;
    }

    /**
     * Returns whether a node is no gate because the client has not heard of it: never, or not since it left several
     * questions unanswered.
     */
    boolean isUnheard(int node) {
        return statuses.get(node) == null || isPassedOver(node);
    }

    private boolean isPassedOver(int node) {
        Silence known = silences.get(node);
        return known != null && known.isNoGate();
    }

    /**
     * Asks a node for its status, for all callers that want it meanwhile. Two threads at once may ask it twice, which
     * harms nothing; so there is no mark to remove, and none is left behind whichever way a question ends.
     *
     * @return the answer, which is known to the quorum already
     */
    CompletableFuture<NodeStatus> lookAgain(int node) {
        CompletableFuture<NodeStatus> underWay = looks.get(node);
        if (underWay != null && !underWay.isDone()) {
            return underWay;
        }
        CompletableFuture<NodeStatus> asked = voter(node)
                .look()
                .thenApply(status -> {
                    saw(node, status);
                    return status;
                })
                .toCompletableFuture();
        looks.set(node, asked);
        return asked;
    }

    @Nullable NodeStatus status(int node) {
        return statuses.get(node);
    }

    /** Returns how many nodes have ever reported their status. */
    int known() {
        int count = 0;
        for (int i = 0; i < size(); i++) {
            count += statuses.get(i) == null ? 0 : 1;
        }
        return count;
    }

    /**
     * Returns the median of the nodes' clocks, as far as they are known: a proposal for a token. Our own clock has no part
     * in it, so that a client whose clock is wrong harms nobody.
     */
    OptionalLong clock() {
        long now = time.nanos();
        long[] clocks = new long[size()];
        int count = 0;
        for (int i = 0; i < size(); i++) {
            NodeStatus status = statuses.get(i);
            if (status != null) {
                clocks[count++] = status.microsAt(now);
            }
        }
        if (count == 0) {
            return OptionalLong.empty();
        }
        Arrays.sort(clocks, 0, count);
        return OptionalLong.of(clocks[count / 2]);
    }

    /**
     * Returns the gate of a lock, the node at which its waiters queue: of the nodes that have a vote, the one with the
     * smallest hash of lock and run. All clients that see the same nodes find the same gate, and different locks have
     * different ones.
     *
     * @return -1 if there is none
     */
    int gate(GateSelection gateSelection) {
        if (!settings.gated()) {
            return -1;
        }
        long now = time.nanos();
        int gate = -1;
        long least = 0;
        for (int i = 0; i < size(); i++) {
            NodeStatus status = statuses.get(i);
            if (status == null || !status.hasVote(now) || isPassedOver(i)) {
                continue;
            }
            long hash = gateSelection.of(i, status.run());
            if (gate < 0 || Long.compareUnsigned(hash, least) < 0) {
                gate = i;
                least = hash;
            }
        }
        return gate;
    }

    /**
     * Runs an action for each node, for the gate first: an attempt needs the gate's answer whichever other nodes have
     * answered, and attempts that meet there first do not split the others.
     *
     * @param gate the gate, or -1
     */
    void each(int gate, IntConsumer action) {
        if (gate >= 0) {
            action.accept(gate);
        }
        for (int i = 0; i < size(); i++) {
            if (i != gate) {
                action.accept(i);
            }
        }
    }

    /** Returns the nodes' answers in words. */
    List<NodeAnswer> answers(java.util.function.IntFunction<String> words) {
        List<NodeAnswer> all = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            all.add(new NodeAnswer(voters.get(i).toString(), words.apply(i)));
        }
        return all;
    }

    boolean isClosed() {
        return closed.get();
    }

    void close() {
        closed.set(true);
    }

    @Override
    public String toString() {
        return name;
    }
}
