package dev.leasehold.redis;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.redis.quorum.Quorum;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.redis.quorum.QuorumStore;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.testkit.sim.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of several clients, the real ones, over simulated masters: from a seed, on virtual time. Whatever happens, at no
 * instant may two leases of a lock be valid unless both are readers', and tokens must increase from grant to grant; when the
 * faults are over, everybody must be served.
 */
final class QuorumSimulation {

    private static final long MS = 1_000_000L;
    private static final long SECOND = 1000 * MS;
    private static final long HOUR_MICROS = 3_600_000_000L;

    /** What a run has shown. */
    record Report(
            long seed, long grants, long holds, long reads, long attempts, List<String> findings, String summary) {}

    /** A kind of run, for schedules made for one rule. */
    enum Kind {
        ANY,
        /** Only messages are lost, and leases are so long that leftovers hurt. */
        LOSSY_WITH_LONG_LEASES,
        /** As any, with masters whose disks keep all, and are trusted; but some follow another for a while, which lags. */
        TRUSTED,
        /** As any, but masters are back at once, or follow for a moment a copy of themselves whose clock is ahead. */
        COPIED,
        /** As any, but several masters at once restart with what they had saved, and are back at once. */
        RESTARTED,
        /** As any, with readers and writers. */
        READERS,
        /** One master's clock is an hour ahead while another is down; then it is set right, and all restart empty. */
        CLOCK_AHEAD
    }

    private final long seed;
    private final Kind kind;
    private final Set<QuorumRule> off;
    private final SimWorld world;
    private final QuorumJudge judge;
    private final SplittableRandom chance;
    private final SplittableRandom wire;
    private final List<SimulatedMaster> masters = new ArrayList<>();
    private final Map<Integer, SimulatedProcess> processes = new HashMap<>();

    private final int nodes;
    private final int clients;
    private final int callers;
    private final int locks;
    private final long lease;
    private final Duration maxLease;
    private final double loss;
    private final double repeats;
    private final double longDelays;
    private final long faultsEnd;
    private final int crashes;
    private final boolean majorityRestarts;
    private final int pauses;
    private final int localHandOvers;
    private final AtomicLong clientNumbers = new AtomicLong();
    private long attempts;
    private final Map<SimulatedProcess, Integer> running = new HashMap<>();

    private QuorumSimulation(long seed, Kind kind, Set<QuorumRule> off, @Nullable Consumer<String> trace) {
        this.seed = seed;
        this.kind = kind;
        this.off = off;
        world = new SimWorld(seed, trace);
        chance = world.chance("scenario");
        wire = world.chance("wire");
        boolean lossy = kind == Kind.LOSSY_WITH_LONG_LEASES;
        boolean ahead = kind == Kind.CLOCK_AHEAD;
        nodes = lossy || ahead ? 3 : new int[] {3, 3, 3, 4, 5}[chance.nextInt(5)];
        clients = 2 + chance.nextInt(3);
        callers = 1 + chance.nextInt(2);
        locks = 1 + chance.nextInt(2) * chance.nextInt(2);
        judge = new QuorumJudge(world, locks, () -> lossy && running() > 0);
        lease = lossy ? 30 * SECOND : new long[] {150, 250, 400, 600}[chance.nextInt(4)] * MS;
        maxLease = Duration.ofNanos(lossy ? lease : lease * (1 + chance.nextInt(3)));
        loss = lossy || ahead ? 0.15 : new double[] {0.05, 0.2, 0.2, 0.3}[chance.nextInt(4)];
        repeats = chance.nextBoolean() ? 0.1 : 0;
        longDelays = lossy ? 0 : new double[] {0, 0.02, 0.1}[chance.nextInt(3)];
        faultsEnd = lossy ? 90 * SECOND : 30 * SECOND;
        crashes = kind == Kind.COPIED
                ? 40
                : kind == Kind.RESTARTED ? 10 : lossy || ahead ? 0 : chance.nextInt(3) == 0 ? 0 : 1 + chance.nextInt(8);
        majorityRestarts = chance.nextInt(3) == 0 || kind == Kind.COPIED || kind == Kind.RESTARTED;
        pauses = lossy ? 0 : chance.nextInt(2) * chance.nextInt(6);
        localHandOvers = new int[] {0, 3, 64}[chance.nextInt(3)];
        for (int i = 0; i < nodes; i++) {
            masters.add(new SimulatedMaster(
                    world,
                    "node" + i,
                    rate(),
                    ahead && i == 0 ? HOUR_MICROS : (chance.nextInt(40) - 20) * 1000L,
                    off,
                    maxLease));
        }
    }

    static Report run(long seed, Kind kind, Set<QuorumRule> off, @Nullable Consumer<String> trace) {
        return new QuorumSimulation(seed, kind, off, trace).run();
    }

    private double rate() {
        return 0.9901 + chance.nextDouble() * 0.0198;
    }

    private boolean faulty() {
        return world.now() < faultsEnd;
    }

    private Report run() {
        world.note("scenario", "is drawn", summary());
        if (kind == Kind.TRUSTED) {
            masters.forEach(SimulatedMaster::trust);
        }
        for (int i = 0; i < clients; i++) {
            start(i);
        }
        if (kind == Kind.CLOCK_AHEAD) {
            masters.get(2).goDown();
            world.at(10 * SECOND, this::setClocksRight);
        }
        for (int i = 0; i < crashes; i++) {
            world.at(chance.nextLong(faultsEnd), this::crash);
        }
        for (int i = 0; i < pauses; i++) {
            world.at(chance.nextLong(faultsEnd), this::pause);
        }
        for (long at = 0; at < faultsEnd; at += SECOND) {
            masters.forEach(master -> world.at(chance.nextLong(faultsEnd), master::save));
        }
        if (crashes > 3) {
            world.at(chance.nextLong(faultsEnd), this::clientDies);
        }
        while (judge.isContent() && world.step(faultsEnd)) {
            judge.look();
        }
        world.note("scenario", "has no more faults");
        long limit = faultsEnd + maxLease.toNanos() * 4 + lease * 8L * clients * callers + 20 * SECOND;
        while (judge.isContent() && running() > 0 && world.step(limit)) {
            judge.look();
        }
        if (judge.isContent() && running() > 0) {
            judge.find("PROGRESS: after the faults, " + running() + " callers were not served within "
                    + (limit - faultsEnd) / MS + " ms");
        }
        return judge.report(seed, attempts, summary());
    }

    private String summary() {
        return kind + " nodes=" + nodes + " clients=" + clients + " callers=" + callers + " locks=" + locks + " lease="
                + lease / MS + "ms loss=" + loss + " repeats=" + repeats + " longDelays=" + longDelays + " crashes="
                + crashes + " majority=" + majorityRestarts + " pauses=" + pauses + " local=" + localHandOvers;
    }

    // ---- clients -------------------------------------------------------------------------------------------------

    private void start(int place) {
        String name = "client" + place + "." + clientNumbers.incrementAndGet();
        SimulatedProcess process = new SimulatedProcess(world, name, 1, (chance.nextInt(10_000) - 5_000) * 1000L);
        processes.put(place, process);
        SplittableRandom own = chance.split();
        Leasehold client = Leasehold.builder()
                .store(context -> {
                    SimulatedVoter.Network network = network();
                    List<Voter> voters = new ArrayList<>();
                    for (SimulatedMaster master : masters) {
                        voters.add(new SimulatedVoter(
                                master, network, process, process::run, Duration.ofNanos(patience()), maxLease));
                    }
                    AtomicLong counter = new AtomicLong();
                    Quorum quorum = new Quorum(
                            "quorum",
                            voters,
                            claim -> {
                                attempts++;
                                return off.contains(QuorumRule.NEW_ATTEMPT_NAME)
                                        ? claim
                                        : new ClaimId(claim.client(), counter.incrementAndGet());
                            },
                            process,
                            own.split(),
                            new QuorumSettings(maxLease, Duration.ofMillis(50), Duration.ofNanos(horizon()), true));
                    QuorumStore store =
                            new QuorumStore(quorum, CountingStore.signals(context.signals(), judge), () -> {});
                    for (int i = 0; i < nodes; i++) {
                        int node = i;
                        masters.get(i).listen(context.clientId(), (attempt, token) -> {
                            if (!faulty() || wire.nextDouble() >= loss) {
                                once(() -> process.run(() -> granted(store, node, attempt, token)));
                            }
                        });
                    }
                    return new CountingStore(store, judge);
                })
                .options(LockOptions.defaults().withLeaseDuration(Duration.ofNanos(lease)))
                .timeSource(process)
                .executor(process::execute)
                .random(own.split())
                .storeTimeout(Duration.ofNanos(Math.max(4 * lease, 2 * SECOND)))
                .localHandOvers(localHandOvers)
                .label(name)
                .build();
        for (int i = 0; i < callers; i++) {
            SplittableRandom mine = own.split();
            later(process, mine.nextLong(lease), () -> ask(process, client, mine));
        }
    }

    private boolean isAny() {
        return kind != Kind.LOSSY_WITH_LONG_LEASES && kind != Kind.CLOCK_AHEAD;
    }

    private long patience() {
        return isAny() ? Math.max(lease, SECOND) : SECOND / 5;
    }

    private long horizon() {
        return isAny() ? 3 * lease : SECOND;
    }

    private static void granted(QuorumStore store, int node, ClaimId attempt, long token) {
        // The messages of the simulated node name no lock: a client waits for one with an attempt.
        store.granted(node, new dev.leasehold.spi.LeaseId("lock-0", attempt, token));
    }

    private void ask(SimulatedProcess process, Leasehold client, SplittableRandom mine) {
        if (!faulty()) {
            return;
        }
        running.merge(process, 1, Integer::sum);
        String lock = "lock-" + mine.nextInt(locks);
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(Duration.ofNanos(lease))
                .withMaxHold(Duration.ofNanos(lease * 5))
                .withAutoRenew(mine.nextInt(4) != 0);
        judge.waits(lock);
        boolean reads = kind == Kind.READERS && mine.nextInt(5) < 3;
        DistributedLock wanted = reads ? client.readWriteLock(lock, options).read() : client.lock(lock, options);
        CompletableFuture<Optional<Lease>> answer = mine.nextInt(4) == 0
                ? wanted.tryAcquireAsync(Duration.ofNanos(mine.nextLong(lease)))
                : wanted.acquireAsync().thenApply(Optional::of);
        answer.whenComplete((got, failure) -> {
            judge.waitsNoMore(lock);
            Lease held = got == null ? null : got.orElse(null);
            if (held == null) {
                again(process, client, mine);
                return;
            }
            judge.begins(lock, held);
            if (mine.nextInt(4) == 0) {
                later(process, mine.nextLong(lease / 2), () -> extend(held));
            }
            long time = mine.nextInt(3) == 0 ? mine.nextLong(lease * 2) : mine.nextLong(lease / 4);
            boolean forgets = isAny() && mine.nextInt(30) == 0;
            later(process, time, () -> {
                if (!forgets) {
                    judge.tokens(lock).ended(held);
                    held.releaseAsync();
                }
                again(process, client, mine);
            });
        });
    }

    // The thread is interrupted, so that the request is sent and nobody waits for its answer.
    private void extend(Lease held) {
        Thread.currentThread().interrupt();
        try {
            held.extend(maxLease);
        } catch (InterruptedException | LockException | IllegalStateException e) {
            world.note("caller", "has asked for more");
        } finally {
            world.note("caller", "goes on", Thread.interrupted());
        }
    }

    private void again(SimulatedProcess process, Leasehold client, SplittableRandom mine) {
        running.merge(process, -1, Integer::sum);
        later(
                process,
                mine.nextInt(3) == 0 ? 0 : mine.nextLong(Math.min(lease, SECOND)),
                () -> ask(process, client, mine));
    }

    private void later(SimulatedProcess process, long delay, Runnable what) {
        world.after(delay, () -> process.run(what));
    }

    // ---- the network and the faults ------------------------------------------------------------------------------

    private SimulatedVoter.Network network() {
        return new SimulatedVoter.Network() {
            @Override
            public void send(Runnable arrival) {
                boolean lost = wire.nextDouble() < loss;
                boolean twice = wire.nextDouble() < repeats;
                if (faulty() && lost) {
                    return;
                }
                once(arrival);
                if (faulty() && twice) {
                    once(arrival);
                }
            }

            @Override
            public Set<QuorumRule> off() {
                return off;
            }
        };
    }

    private void once(Runnable arrival) {
        long delay = MS / 10 + wire.nextLong(2 * MS);
        if (faulty() && wire.nextDouble() < longDelays) {
            delay = wire.nextLong(lease * 3);
        }
        world.after(delay, arrival);
    }

    private void crash() {
        boolean several = majorityRestarts && (chance.nextInt(4) == 0 || kind == Kind.COPIED || kind == Kind.RESTARTED);
        for (SimulatedMaster master : masters) {
            if (several ? chance.nextInt(4) != 0 : chance.nextInt(nodes) == 0) {
                int how = chance.nextInt(4);
                if (kind == Kind.RESTARTED) {
                    master.goDown();
                    master.comeBack(true);
                } else if (how == 0) {
                    master.flush();
                } else if (kind == Kind.COPIED && how == 1) {
                    master.goDown();
                    master.comeBack(true);
                } else if (kind == Kind.COPIED) {
                    master.followCopy();
                } else if (kind == Kind.TRUSTED && how == 1) {
                    master.resynchronise();
                } else if (kind == Kind.TRUSTED) {
                    master.goDown();
                    world.after(chance.nextLong(100 * MS), master::comeBackWithEverything);
                } else {
                    master.goDown();
                    boolean snapshot = how == 1;
                    world.after(chance.nextLong(100 * MS), () -> master.comeBack(snapshot));
                }
            }
        }
    }

    private void setClocksRight() {
        masters.get(0).setClock(-HOUR_MICROS);
        masters.forEach(master -> master.comeBack(false));
    }

    private void pause() {
        SimulatedProcess process = processes.get(chance.nextInt(clients));
        if (!process.isDead()) {
            process.pause();
            world.after(chance.nextLong(lease * 3), process::goOn);
        }
    }

    private void clientDies() {
        int place = chance.nextInt(clients);
        SimulatedProcess process = processes.get(place);
        process.goOn();
        process.die();
        running.remove(process);
        world.after(chance.nextLong(SECOND), () -> start(place));
    }

    private int running() {
        int all = 0;
        for (int one : running.values()) {
            all += one;
        }
        return all;
    }
}
