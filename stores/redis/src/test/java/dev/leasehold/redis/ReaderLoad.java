package dev.leasehold.redis;

import dev.leasehold.DistributedLock;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.redis.quorum.Quorum;
import dev.leasehold.redis.quorum.QuorumSettings;
import dev.leasehold.redis.quorum.QuorumStore;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A reader load is a minute of many readers and a few writers of one lock, each a client of its own before three simulated
 * masters, on virtual time. A reader asks again as soon as it has released, so that at each moment some reader or other has
 * it: nothing but the rules lets a writer in.
 */
final class ReaderLoad {

    private static final long MS = 1_000_000L;
    private static final Duration MAX_LEASE = Duration.ofSeconds(10);
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final long LENGTH = 60_000 * MS;
    private static final int READERS = 8;
    private static final int WRITERS = 2;

    /** A result is what was seen. The wait is that of a writer, in milliseconds, and counts one that was never served. */
    record Result(long reads, long writes, long longestWait) {}

    private final SimWorld world;
    private final SplittableRandom wire;
    private final Set<QuorumRule> off;
    private final boolean gated;
    private final List<SimulatedMaster> masters = new ArrayList<>();
    private final List<Long> writersWaitingSince = new ArrayList<>();
    private long reads;
    private long writes;
    private long longest;

    private ReaderLoad(long seed, boolean gated, Set<QuorumRule> off) {
        this.gated = gated;
        this.off = off;
        world = new SimWorld(seed, null);
        wire = world.chance("wire");
        for (int i = 0; i < 3; i++) {
            masters.add(new SimulatedMaster(world, "node" + i, 1, 0, off, MAX_LEASE));
        }
    }

    static Result run(long seed, boolean gated, Set<QuorumRule> off) {
        return new ReaderLoad(seed, gated, off).run();
    }

    private Result run() {
        for (int i = 0; i < READERS + WRITERS; i++) {
            start(i);
        }
        boolean more = true;
        while (more) {
            more = world.step(LENGTH);
        }
        writersWaitingSince.forEach(since -> longest = Math.max(longest, LENGTH - since));
        return new Result(reads, writes, longest / MS);
    }

    private void start(int number) {
        SimulatedProcess process = new SimulatedProcess(world, "client" + number, 1, 0);
        SplittableRandom own = world.chance("client" + number);
        Leasehold client = Leasehold.builder()
                .store(context -> {
                    List<Voter> voters = new ArrayList<>();
                    for (SimulatedMaster master : masters) {
                        voters.add(new SimulatedVoter(master, network(), process, process::run, LEASE, MAX_LEASE));
                    }
                    AtomicLong counter = new AtomicLong();
                    Quorum quorum = new Quorum(
                            "quorum",
                            voters,
                            claim -> new ClaimId(claim.client(), counter.incrementAndGet()),
                            process,
                            own.split(),
                            new QuorumSettings(MAX_LEASE, Duration.ofMillis(50), Duration.ofSeconds(1), gated));
                    QuorumStore store = new QuorumStore(quorum, context.signals(), all -> {});
                    for (int i = 0; i < masters.size(); i++) {
                        int node = i;
                        masters.get(i)
                                .listen(
                                        context.clientId(),
                                        (attempt, token) -> once(() -> process.run(() -> store.granted(
                                                node, new dev.leasehold.spi.LeaseId("lock", attempt, token)))));
                    }
                    return store;
                })
                .options(LockOptions.defaults().withLeaseDuration(LEASE))
                .timeSource(process)
                .executor(process::execute)
                .random(own.split())
                .storeTimeout(Duration.ofSeconds(30))
                .label("client" + number)
                .build();
        boolean writes = number >= READERS;
        DistributedLock lock = writes
                ? client.readWriteLock("lock").write()
                : client.readWriteLock("lock").read();
        world.after(own.nextLong(20 * MS), () -> process.run(() -> ask(process, lock, writes, own)));
    }

    private void ask(SimulatedProcess process, DistributedLock lock, boolean writing, SplittableRandom own) {
        Long since = world.now();
        if (writing) {
            writersWaitingSince.add(since);
        }
        lock.acquireAsync().whenComplete((held, failure) -> {
            if (held == null) {
                return;
            }
            if (writing) {
                writersWaitingSince.remove(since);
                longest = Math.max(longest, world.now() - since);
                writes++;
            } else {
                reads++;
            }
            world.after(
                    5 * MS + own.nextLong(20 * MS),
                    () -> process.run(() -> {
                        held.releaseAsync();
                        long pause = writing ? 20 * MS + own.nextLong(40 * MS) : 0;
                        world.after(pause, () -> process.run(() -> ask(process, lock, writing, own)));
                    }));
        });
    }

    private SimulatedVoter.Network network() {
        return new SimulatedVoter.Network() {
            @Override
            public void send(Runnable arrival) {
                once(arrival);
            }

            @Override
            public Set<QuorumRule> off() {
                return off;
            }
        };
    }

    private void once(Runnable arrival) {
        world.after(MS / 10 + wire.nextLong(MS), arrival);
    }
}
