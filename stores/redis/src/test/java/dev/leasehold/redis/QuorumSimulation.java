package dev.leasehold.redis;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.redis.QuorumScenario.Kind;
import dev.leasehold.redis.quorum.Quorum;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.redis.quorum.QuorumStore;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.testtools.SimWorld;
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
 * A quorum simulation is one run of several clients, the real ones, over simulated masters: from a seed, on virtual time.
 * Whatever happens, at no instant may two leases of a lock be valid unless both are readers', and tokens must increase from
 * grant to grant; when the faults are over, everybody must be served.
 */
final class QuorumSimulation {

    private static final long MS = 1_000_000L;
    private static final long SECOND = 1000 * MS;
    private static final long HOUR_MICROS = 3_600_000_000L;

    /** A report is what a run has shown. */
    record Report(
            long seed, long grants, long holds, long reads, long attempts, List<String> findings, String summary) {}

    private final long seed;
    private final QuorumScenario scenario;
    private final Set<QuorumRule> off;
    private final SimWorld world;
    private final QuorumJudge judge;
    private final SplittableRandom chance;
    private final SplittableRandom wire;
    private final List<SimulatedMaster> masters = new ArrayList<>();
    private final Map<Integer, SimulatedProcess> processes = new HashMap<>();
    private final AtomicLong clientNumbers = new AtomicLong();
    private long attempts;
    private final Map<SimulatedProcess, Integer> running = new HashMap<>();

    private QuorumSimulation(long seed, Kind kind, Set<QuorumRule> off, @Nullable Consumer<String> trace) {
        this.seed = seed;
        this.off = off;
        world = new SimWorld(seed, trace);
        chance = world.chance("scenario");
        wire = world.chance("wire");
        scenario = new QuorumScenario(kind, chance);
        judge = new QuorumJudge(world, scenario.locks, () -> scenario.isLossy() && running() > 0);
        for (int i = 0; i < scenario.nodes; i++) {
            masters.add(new SimulatedMaster(
                    world,
                    "node" + i,
                    rate(),
                    kind == Kind.CLOCK_AHEAD && i == 0 ? HOUR_MICROS : (chance.nextInt(40) - 20) * 1000L,
                    off,
                    scenario.maxLease));
        }
    }

    static Report run(long seed, Kind kind, Set<QuorumRule> off, @Nullable Consumer<String> trace) {
        return new QuorumSimulation(seed, kind, off, trace).run();
    }

    private double rate() {
        return 0.9901 + chance.nextDouble() * 0.0198;
    }

    private boolean faulty() {
        return world.now() < scenario.faultsEnd;
    }

    private Report run() {
        world.note("scenario", "is drawn", scenario.summary());
        if (scenario.kind == Kind.TRUSTED) {
            masters.forEach(SimulatedMaster::trust);
        }
        for (int i = 0; i < scenario.clients; i++) {
            start(i);
        }
        if (scenario.kind == Kind.CLOCK_AHEAD) {
            masters.get(2).goDown();
            world.at(10 * SECOND, this::setClocksRight);
        }
        for (int i = 0; i < scenario.crashes; i++) {
            world.at(chance.nextLong(scenario.faultsEnd), this::crash);
        }
        for (int i = 0; i < scenario.pauses; i++) {
            world.at(chance.nextLong(scenario.faultsEnd), this::pause);
        }
        for (long at = 0; at < scenario.faultsEnd; at += SECOND) {
            masters.forEach(master -> world.at(chance.nextLong(scenario.faultsEnd), master::save));
        }
        if (scenario.crashes > 3) {
            world.at(chance.nextLong(scenario.faultsEnd), this::clientDies);
        }
        while (judge.isContent() && world.step(scenario.faultsEnd)) {
            judge.look();
        }
        world.note("scenario", "has no more faults");
        long limit = scenario.faultsEnd
                + scenario.maxLease.toNanos() * 4
                + scenario.lease * 8L * scenario.clients * scenario.callers
                + 20 * SECOND;
        while (judge.isContent() && running() > 0 && world.step(limit)) {
            judge.look();
        }
        if (judge.isContent() && running() > 0) {
            judge.find("PROGRESS: after the faults, " + running() + " callers were not served within "
                    + (limit - scenario.faultsEnd) / MS + " ms");
        }
        return judge.report(seed, attempts, scenario.summary());
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
                                master,
                                network,
                                process,
                                process::run,
                                Duration.ofNanos(scenario.nodeTimeout()),
                                scenario.maxLease));
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
                            new QuorumSettings(
                                    scenario.maxLease,
                                    Duration.ofMillis(50),
                                    Duration.ofNanos(scenario.horizon()),
                                    true));
                    QuorumStore store =
                            new QuorumStore(quorum, CountingStore.signals(context.signals(), judge), all -> {});
                    for (int i = 0; i < scenario.nodes; i++) {
                        int node = i;
                        masters.get(i).listen(context.clientId(), (attempt, token) -> {
                            if (!faulty() || wire.nextDouble() >= scenario.loss) {
                                once(() -> process.run(() -> granted(store, node, attempt, token)));
                            }
                        });
                    }
                    return new CountingStore(store, judge);
                })
                .options(LockOptions.defaults().withLeaseDuration(Duration.ofNanos(scenario.lease)))
                .timeSource(process)
                .executor(process::execute)
                .random(own.split())
                .storeTimeout(Duration.ofNanos(Math.max(4 * scenario.lease, 2 * SECOND)))
                .localHandOvers(scenario.localHandOvers)
                .label(name)
                .build();
        for (int i = 0; i < scenario.callers; i++) {
            SplittableRandom mine = own.split();
            later(process, mine.nextLong(scenario.lease), () -> ask(process, client, mine));
        }
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
        String lock = "lock-" + mine.nextInt(scenario.locks);
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(Duration.ofNanos(scenario.lease))
                .withMaxHold(Duration.ofNanos(scenario.lease * 5))
                .withAutoRenew(mine.nextInt(4) != 0);
        judge.waits(lock);
        boolean reads = scenario.kind == Kind.READERS && mine.nextInt(5) < 3;
        DistributedLock wanted = reads ? client.readWriteLock(lock, options).read() : client.lock(lock, options);
        CompletableFuture<Optional<Lease>> answer = mine.nextInt(4) == 0
                ? wanted.tryAcquireAsync(Duration.ofNanos(mine.nextLong(scenario.lease)))
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
                later(process, mine.nextLong(scenario.lease / 2), () -> extend(held));
            }
            long time = mine.nextInt(3) == 0 ? mine.nextLong(scenario.lease * 2) : mine.nextLong(scenario.lease / 4);
            boolean forgets = scenario.isAny() && mine.nextInt(30) == 0;
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
            held.extend(scenario.maxLease);
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
                mine.nextInt(3) == 0 ? 0 : mine.nextLong(Math.min(scenario.lease, SECOND)),
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
                boolean lost = wire.nextDouble() < scenario.loss;
                boolean twice = wire.nextDouble() < scenario.repeats;
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
        if (faulty() && wire.nextDouble() < scenario.longDelays) {
            delay = wire.nextLong(scenario.lease * 3);
        }
        world.after(delay, arrival);
    }

    private void crash() {
        boolean several = scenario.majorityRestarts
                && (chance.nextInt(4) == 0 || scenario.kind == Kind.COPIED || scenario.kind == Kind.RESTARTED);
        for (SimulatedMaster master : masters) {
            if (several ? chance.nextInt(4) != 0 : chance.nextInt(scenario.nodes) == 0) {
                int how = chance.nextInt(4);
                if (scenario.kind == Kind.RESTARTED) {
                    master.goDown();
                    master.comeBack(true);
                } else if (how == 0) {
                    master.flush();
                } else if (scenario.kind == Kind.COPIED && how == 1) {
                    master.goDown();
                    master.comeBack(true);
                } else if (scenario.kind == Kind.COPIED) {
                    master.followCopy();
                } else if (scenario.kind == Kind.TRUSTED && how == 1) {
                    master.resynchronise();
                } else if (scenario.kind == Kind.TRUSTED) {
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
        SimulatedProcess process = processes.get(chance.nextInt(scenario.clients));
        if (!process.isDead()) {
            process.pause();
            world.after(chance.nextLong(scenario.lease * 3), process::goOn);
        }
    }

    private void clientDies() {
        int place = chance.nextInt(scenario.clients);
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
