package dev.leasehold.simulator;

import dev.leasehold.testtools.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A simulator makes one run from a seed: several processes with real clients and a simulated node between them, on virtual
 * time. First come the faults that the seed stands for; then everything works again and all callers have to come to an end;
 * then nothing may be left in the node.
 */
public final class Simulator {

    private static final long MOST_EVENTS_IN_A_SECOND = 200_000;

    private final long seed;
    private final SimWorld world;
    private final SimScenario scenario;
    private final SimFindings findings;
    private final SimNode node;
    private final SimServer server;
    private final SimJudge judge;
    private final SimOffices offices;
    private final List<SimMember> members = new ArrayList<>();

    private Simulator(long seed, SimKind kind, Set<SimGuard> off, @Nullable Consumer<String> trace) {
        this.seed = seed;
        world = new SimWorld(seed, trace);
        scenario = new SimScenario(world.chance("scenario"), off, kind);
        findings = new SimFindings(world);
        node = new SimNode(off);
        judge = new SimJudge(world, scenario, node, findings);
        offices = new SimOffices(world, judge, node, findings);
        server = new SimServer(world, judge, node);
    }

    /**
     * Makes a run with all rules in force.
     *
     * @param seed stands for the run
     * @return its result
     */
    public static SimReport run(long seed) {
        return run(seed, Set.of(), null);
    }

    /**
     * Makes a run.
     *
     * @param seed stands for the run
     * @param off the rules that are broken in it
     * @param trace gets everything that happens, or null
     * @return its result
     */
    public static SimReport run(long seed, Set<SimGuard> off, @Nullable Consumer<String> trace) {
        return run(seed, SimKind.LOCKS, off, trace);
    }

    /**
     * Makes a run of a kind.
     *
     * @param seed stands for the run
     * @param kind what is used in it
     * @param off the rules that are broken in it
     * @param trace gets everything that happens, or null
     * @return its result
     */
    public static SimReport run(long seed, SimKind kind, Set<SimGuard> off, @Nullable Consumer<String> trace) {
        return new Simulator(seed, kind, off, trace).run();
    }

    private SimReport run() {
        world.note("scenario", "is drawn", scenario.summary());
        for (int i = 0; i < scenario.processes; i++) {
            members.add(new SimMember(world, scenario, findings, server, judge, offices, "p" + i));
        }
        SimFaults faults = new SimFaults(world, scenario, server, members);
        faults.plan();
        until(scenario.faultsEnd, () -> false);
        faults.end();
        if (scenario.closeAll) {
            members.forEach(SimMember::close);
        }
        comeToAnEnd();
        if (findings.isEmpty()) {
            leaveNothingBehind();
        }
        if (findings.isEmpty()) {
            members.forEach(SimMember::close);
            stopEverything();
        }
        judge.judgeHistory();
        return new SimReport(
                seed,
                world.hash(),
                world.happened(),
                judge.granted(),
                judge.held(),
                scenario.summary(),
                world.seen(),
                findings.all());
    }

    /** Checks that every caller that waits is served or refused. */
    private void comeToAnEnd() {
        long callers = (long) scenario.processes * (scenario.callers + (scenario.whole ? 3 : 0)) * 2;
        long each = scenario.longestHold() + scenario.longestLease() * 2 + scenario.longestDelay;
        long once = scenario.operationTimeout.toNanos() * 4 + scenario.storeTimeout.toNanos() * 2;
        long limit = world.now() + callers * each + once;
        until(limit, () -> members.stream().allMatch(SimMember::isIdle));
        for (SimMember member : findings.isEmpty() ? members : List.<SimMember>of()) {
            if (!member.isIdle()) {
                findings.add("PROGRESS", "after the faults, nobody serves " + member.callers());
            }
        }
    }

    /** Checks that leases that were not released run out, and that nothing of a claim outlives a liveness deadline. */
    private void leaveNothingBehind() {
        long limit = scenario.calm
                ? scenario.longestDelay * 20 + scenario.sloth()
                : scenario.longestDelay * 3 + scenario.storeTimeout.toNanos() * 2;
        // Forgotten holds run on to their maxHold, extended ones longer, kept locks to the end of their time.
        long rest = scenario.longestHold() + scenario.longestLease() * 3;
        until(world.now() + rest + limit, () -> false);
        List<String> left = node.busy(world.now() / 1000);
        if (!left.isEmpty()) {
            findings.add("LEFTOVERS", "after all callers have gone: " + left);
        }
    }

    /** Lets everything come to a stop, and checks that a closed client does nothing any more. */
    private void stopEverything() {
        until(world.now() + scenario.storeTimeout.toNanos() * 2 + scenario.longestDelay * 3, () -> false);
        for (SimMember member : members) {
            member.checkEnd();
        }
        long before = node.executed();
        until(world.now() + 100 * scenario.lease, () -> false);
        if (node.executed() > before) {
            findings.add("LEFTOVERS", "closed clients have sent " + (node.executed() - before) + " requests");
        }
    }

    private void look() {
        judge.look();
        if (scenario.watchful) {
            offices.look();
        }
    }

    private void until(long limit, java.util.function.BooleanSupplier done) {
        long since = world.happened();
        long second = world.now() / SimScenario.SECOND;
        while (findings.isEmpty() && !done.getAsBoolean() && world.step(limit)) {
            if (!world.wasQuiet()) {
                look();
            }
            if (world.now() / SimScenario.SECOND != second) {
                second = world.now() / SimScenario.SECOND;
                since = world.happened();
            } else if (world.happened() - since > MOST_EVENTS_IN_A_SECOND) {
                findings.add("WASTE", "somebody is going round in circles");
            }
        }
    }
}
