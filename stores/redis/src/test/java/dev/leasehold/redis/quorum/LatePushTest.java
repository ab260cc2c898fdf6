package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.QuorumRule;
import dev.leasehold.redis.SimulatedMaster;
import dev.leasehold.redis.SimulatedProcess;
import dev.leasehold.redis.SimulatedVoter;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Validity;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A gate's push may come late. The simulator has found (seed 134) that a waiter which had found its grant by asking, and had
 * won, gave the lock back when the gate's push came after all, because it no longer knew that it had stood there.
 */
class LatePushTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private final SimWorld world = new SimWorld(1, null);
    private final SimulatedProcess process = new SimulatedProcess(world, "client", 1, 0);
    private final List<SimulatedMaster> masters = new ArrayList<>();
    private final List<Runnable> pushes = new ArrayList<>();
    private final List<LeaseId> won = new ArrayList<>();
    private Claim claim;
    private QuorumStore holder;
    private QuorumStore waiter;

    @BeforeEach
    void start() {
        for (int i = 0; i < 3; i++) {
            masters.add(new SimulatedMaster(world, "node" + i, 1, 0, Set.of(), Duration.ofMinutes(1)));
        }
        holder = store("holder");
        waiter = store("waiter");
        claim = new Claim(new ClaimId("waiter", 1), "x", LEASE, 0, true);
    }

    private QuorumStore store(String client) {
        SimulatedVoter.Network network = new SimulatedVoter.Network() {
            @Override
            public void send(Runnable arrival) {
                arrival.run();
            }

            @Override
            public Set<QuorumRule> off() {
                return Set.of();
            }
        };
        Signals signals = new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                won.add(grant.lease());
            }

            @Override
            public void doubt(@Nullable String lock) {}
        };
        List<Voter> voters = new ArrayList<>();
        for (SimulatedMaster master : masters) {
            voters.add(new SimulatedVoter(master, network, process, Runnable::run, LEASE, LEASE));
        }
        AtomicLong attempts = new AtomicLong();
        UnaryOperator<ClaimId> names = id -> new ClaimId(client, attempts.incrementAndGet());
        QuorumSettings settings =
                new QuorumSettings(Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofSeconds(1), true);
        Quorum quorum = new Quorum("quorum", voters, names, process, new SplittableRandom(1), settings);
        QuorumStore store = new QuorumStore(quorum, signals, all -> {});
        for (int i = 0; i < 3; i++) {
            int node = i;
            masters.get(i)
                    .listen(
                            client,
                            (attempt, token) ->
                                    pushes.add(() -> store.granted(node, new LeaseId("x", attempt, token))));
        }
        return store;
    }

    private <T> T get(CompletionStage<T> stage) {
        long limit = world.now() + TimeUnit.SECONDS.toNanos(2);
        while (!stage.toCompletableFuture().isDone() && world.step(limit)) {
            assertThat(world.now()).isLessThan(limit);
        }
        return stage.toCompletableFuture().getNow(null);
    }

    private void pass(Duration duration) {
        long limit = world.now() + duration.toNanos();
        boolean[] over = new boolean[1];
        world.at(limit, () -> over[0] = true);
        while (!over[0] && world.step(limit + 1)) {
            assertThat(world.now()).isLessThanOrEqualTo(limit);
        }
    }

    private LeaseId acquire(QuorumStore store, String client) {
        Claim first = new Claim(new ClaimId(client, 100), "x", LEASE, 0, false);
        return ((ClaimAnswer.Granted) get(store.claim(first))).lease();
    }

    private LeaseId standInLineUntilGranted() {
        LeaseId held = acquire(holder, "holder");
        assertThat(get(waiter.claim(claim))).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(pushes).isEmpty();
        assertThat(get(holder.release(held, Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(pushes).hasSize(1);
        assertThat(won).isEmpty();
        ClaimAnswer answer = get(waiter.claim(claim));
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return ((ClaimAnswer.Granted) answer).lease();
    }

    @Test
    void aPushAfterItsClaimHasWonDoesNotEndTheLease() {
        LeaseId lease = standInLineUntilGranted();
        pushes.forEach(Runnable::run);
        pass(Duration.ofSeconds(3));
        assertThat(won).isEmpty();
        for (SimulatedMaster master : masters) {
            master.handle(model -> assertThat(model.state("x")).contains(" " + lease.token() + " "));
        }
        assertThat(get(waiter.renew(lease, LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
        Claim other = new Claim(new ClaimId("holder", 200), "x", LEASE, 0, false);
        assertThat(get(holder.claim(other))).isInstanceOf(ClaimAnswer.Busy.class);
    }

    @Test
    void aPushForAClaimThatIsOverIsGivenBackAtOnce() {
        LeaseId held = acquire(holder, "holder");
        assertThat(get(waiter.claim(claim))).isInstanceOf(ClaimAnswer.Busy.class);
        get(holder.release(held, Duration.ZERO));
        assertThat(pushes).hasSize(1);
        // The gate has the waiter as its holder; a client that knows of no such claim tells the gate so.
        QuorumStore restarted = store("waiter");
        for (int i = 0; i < 3; i++) {
            SimulatedMaster master = masters.get(i);
            int node = i;
            master.handle(model -> {
                if (!model.state("x").startsWith("free")) {
                    String[] parts = model.state("x").split("[ :]");
                    restarted.granted(
                            node,
                            new LeaseId(
                                    "x", new ClaimId(parts[0], Long.parseLong(parts[1])), Long.parseLong(parts[2])));
                }
            });
        }
        for (SimulatedMaster master : masters) {
            master.handle(model -> assertThat(model.state("x")).startsWith("free"));
        }
    }

    @Test
    void aPushThatComesInTimeWinsWithoutAsking() {
        LeaseId held = acquire(holder, "holder");
        assertThat(get(waiter.claim(claim))).isInstanceOf(ClaimAnswer.Busy.class);
        get(holder.release(held, Duration.ZERO));
        pushes.forEach(Runnable::run);
        pass(Duration.ofMillis(200));
        assertThat(won).hasSize(1);
        assertThat(won.get(0).token()).isGreaterThan(held.token());
        pushes.forEach(Runnable::run);
        assertThat(get(waiter.renew(won.get(0), LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
    }

    /** Found on real servers: the lease blocked the minority that still had it until its end. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aLeaseThatAMajorityLostIsRemovedFromTheRest(int keeps) {
        LeaseId held = acquire(holder, "holder");
        for (int i = 0; i < 3; i++) {
            if (i != keeps) {
                masters.get(i).handle(model -> model.breakLease("x", held.token()));
            }
        }
        assertThat(get(holder.renew(held, LEASE))).isInstanceOf(RenewAnswer.Lost.class);
        masters.get(keeps).handle(model -> assertThat(model.state("x")).startsWith("free"));
    }
}
