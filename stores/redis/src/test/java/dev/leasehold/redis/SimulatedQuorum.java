package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.quorum.GateSelection;
import dev.leasehold.redis.quorum.Quorum;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.redis.quorum.QuorumStore;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A simulated quorum is the real quorum code before simulated masters, on virtual time: each client with a network of its
 * own, whose delays a test decides.
 */
public final class SimulatedQuorum {

    public static final Duration LEASE = Duration.ofSeconds(10);
    public static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);
    static final Duration HORIZON = Duration.ofSeconds(1);
    public static final long NEAR = 1_000_000L;
    static final long FAR = 2_000_000L;

    /** A value instead of a delay: the message is kept until the test lets it go. */
    public static final long HELD_UP = -1;

    private final SimWorld world = new SimWorld(1, null);
    private final SimulatedProcess process = new SimulatedProcess(world, "clients", 1, 0);
    private final List<SimulatedMaster> masters = new ArrayList<>();
    private final List<Runnable> heldUp = new ArrayList<>();
    private final Set<QuorumRule> off;

    /** The clocks of a busy machine: a moment passes between the readings of the two. */
    private final TimeSource unsteady = new TimeSource() {
        @Override
        public ClockReading now() {
            ClockReading reading = process.now();
            return new ClockReading(reading.nanos(), reading.wallMicros() + 1000);
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return process.schedule(delay, task);
        }
    };

    public SimulatedQuorum(int nodes) {
        this(nodes, Set.of());
    }

    /** Makes one whose masters and clients do not keep some rules. */
    SimulatedQuorum(int nodes, Set<QuorumRule> off) {
        this.off = off;
        for (int i = 0; i < nodes; i++) {
            masters.add(new SimulatedMaster(world, "node" + i, 1, 0, off, Duration.ofMinutes(1)));
        }
    }

    public SimulatedMaster master(int node) {
        return masters.get(node);
    }

    /** Returns the messages that are held up. */
    public List<Runnable> heldUp() {
        return heldUp;
    }

    /** Sends on the messages that are held up. */
    public void letGo() {
        heldUp.forEach(arrival -> world.after(NEAR, arrival));
        heldUp.clear();
    }

    /** Loses the messages that are held up. */
    public void forgetWhatWasHeldUp() {
        heldUp.clear();
    }

    /** A client runs at this process. */
    public final class Client implements Signals {
        private final String name;
        private final QuorumStore store;
        private final List<LeaseId> unasked = new ArrayList<>();
        private final AtomicLong attempts = new AtomicLong();

        private Client(String name, IntToLongFunction delays, IntFunction<CompletionStage<?>> inboxes) {
            this.name = name;
            List<Voter> voters = new ArrayList<>();
            for (int i = 0; i < masters.size(); i++) {
                voters.add(new SimulatedVoter(
                        masters.get(i), network(i, delays, inboxes), process, Runnable::run, LEASE, LEASE));
            }
            Quorum quorum = new Quorum(
                    "quorum",
                    voters,
                    claim -> new ClaimId(name, attempts.incrementAndGet()),
                    unsteady,
                    new SplittableRandom(1),
                    new QuorumSettings(Duration.ofMinutes(1), NODE_TIMEOUT, HORIZON, true));
            store = new QuorumStore(quorum, this, all -> {});
        }

        @Override
        public void granted(Grant grant, @Nullable Validity validity) {
            unasked.add(grant.lease());
        }

        @Override
        public void doubt(@Nullable String lock) {}

        /** Returns the leases that it was granted while it was not asking. */
        List<LeaseId> unasked() {
            return unasked;
        }

        /** Returns the number of its attempts. */
        public long attempts() {
            return attempts.get();
        }

        /** Tries once, without queueing. */
        public CompletableFuture<ClaimAnswer> claim(String lock) {
            return claim(lock, Claim.EXCLUSIVE, false);
        }

        /** Queues, if it must. */
        public CompletableFuture<ClaimAnswer> waitFor(String lock) {
            return claim(lock, Claim.EXCLUSIVE, true);
        }

        private CompletableFuture<ClaimAnswer> claim(String lock, int share, boolean enqueue) {
            return store.claim(new Claim(new ClaimId(name, 1000), lock, share, LEASE, enqueue))
                    .toCompletableFuture();
        }

        /** Only tries to read. */
        CompletableFuture<ClaimAnswer> tryRead(String lock) {
            return claim(lock, Claim.UNLIMITED, false);
        }

        /** Reads beside others. */
        LeaseId read(String lock) {
            return ((ClaimAnswer.Granted) answer(tryRead(lock))).lease();
        }

        /** Takes a lock that is free. */
        public LeaseId hold(String lock) {
            return ((ClaimAnswer.Granted) answer(claim(lock))).lease();
        }

        public CompletableFuture<RenewAnswer> renew(LeaseId lease, Duration duration) {
            return store.renew(lease, duration).toCompletableFuture();
        }

        CompletableFuture<ReleaseAnswer> release(LeaseId lease) {
            return store.release(lease, Duration.ZERO).toCompletableFuture();
        }

        CompletableFuture<Boolean> breakLease(String lock, long token) {
            return store.breakLease(lock, token).toCompletableFuture();
        }

        /** It hears that a node has given the lock to an attempt that stands in line there. */
        void hears(int node, LeaseId lease) {
            store.granted(node, lease);
        }

        public void withdraw(String lock) {
            store.withdraw(lock, new ClaimId(name, 1000));
        }
    }

    /** A client that has heard of the masters already. */
    public Client client(String name, IntToLongFunction delays) {
        return client(name, delays, node -> CompletableFuture.completedStage(""));
    }

    /**
     * Makes a client with inboxes that has heard of the masters already.
     *
     * @param inboxes when each master's is open
     */
    public Client client(String name, IntToLongFunction delays, IntFunction<CompletionStage<?>> inboxes) {
        Client client = new Client(name, delays, inboxes);
        client.hold("another-" + name);
        return client;
    }

    /** A client that has not heard of the masters yet. */
    public Client newcomer(String name, IntToLongFunction delays) {
        return new Client(name, delays, node -> CompletableFuture.completedStage(""));
    }

    private SimulatedVoter.Network network(
            int node, IntToLongFunction delays, IntFunction<CompletionStage<?>> inboxes) {
        return new SimulatedVoter.Network() {
            @Override
            public void send(Runnable arrival) {
                long delay = delays.applyAsLong(node);
                if (delay == HELD_UP) {
                    heldUp.add(arrival);
                } else {
                    world.after(delay, arrival);
                }
            }

            @Override
            public Set<QuorumRule> off() {
                return off;
            }

            @Override
            public CompletionStage<?> listen() {
                return inboxes.apply(node);
            }
        };
    }

    /** Returns a lock's holder and queue at each node. */
    List<String> states(String lock) {
        List<String> states = new ArrayList<>(Collections.nCopies(masters.size(), "down []"));
        for (int i = 0; i < masters.size(); i++) {
            int node = i;
            masters.get(i).handle(model -> states.set(node, model.state(lock)));
        }
        return states;
    }

    /** Returns a lock's queue at each node. */
    public List<String> queues(String lock) {
        return states(lock).stream()
                .map(state -> state.substring(state.indexOf('[')))
                .toList();
    }

    /**
     * Lets time pass until something is answered: at most as long as learning of the nodes, an attempt, and its
     * repetition take.
     */
    <T> T answer(CompletableFuture<T> question) {
        passUntilDone(List.of(question), 3 * NODE_TIMEOUT.toNanos());
        assertThat(question).isCompleted();
        return question.join();
    }

    /** Lets time pass until all is answered, or until some nanoseconds have passed. */
    void passUntilDone(List<? extends CompletableFuture<?>> questions, long atMost) {
        long end = world.now() + atMost;
        boolean more = true;
        while (more && !questions.stream().allMatch(CompletableFuture::isDone)) {
            more = world.step(end);
        }
    }

    /** Lets some nanoseconds pass. */
    public void pass(long nanos) {
        long end = world.now() + nanos;
        boolean more = true;
        while (more) {
            more = world.step(end);
        }
    }

    /** Returns the gate of a lock for a client that has heard of all nodes. */
    public int gate(String lock) {
        GateSelection gateSelection = new GateSelection(lock, masters.size());
        int gate = 0;
        for (int i = 1; i < masters.size(); i++) {
            boolean less = Long.compareUnsigned(
                            gateSelection.of(i, masters.get(i).run()),
                            gateSelection.of(gate, masters.get(gate).run()))
                    < 0;
            gate = less ? i : gate;
        }
        return gate;
    }
}
