package dev.leasehold.simulator;

import dev.leasehold.testtools.SimWorld;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Simulated faults are those of a run, and have an end: after it everything works again. */
final class SimFaults {

    private final SimWorld world;
    private final SimScenario scenario;
    private final SimServer server;
    private final List<SimMember> members;
    private final SplittableRandom chance;

    /** The clocks notice no shorter one. */
    private static final long SHORTEST_SUSPENSION = SimScenario.MS;

    SimFaults(SimWorld world, SimScenario scenario, SimServer server, List<SimMember> members) {
        this.world = world;
        this.scenario = scenario;
        this.server = server;
        this.members = members;
        this.chance = world.chance("faults");
    }

    void plan() {
        long lease = scenario.lease;
        often(scenario.pauses, lease * 6, () -> anyone(this::pause));
        often(scenario.suspensions, lease * 8, () -> anyone(this::suspend));
        often(scenario.wallJumps, lease * 4, () -> anyone(this::setWall));
        often(scenario.starvation, lease * 8, () -> anyone(this::starve));
        often(scenario.crashes, lease * 10, () -> anyone(this::crash));
        often(scenario.closes, lease * 12, () -> anyone(this::close));
        often(scenario.partitions, lease * 8, () -> anyone(this::cutOff));
        often(scenario.nodeDowns, lease * 15, this::stopServer);
        often(scenario.memoryLoss, lease * 15, this::flush);
        often(scenario.nodeWallJumps, lease * 5, () -> server.setWall(jump()));
        often(scenario.refusals, lease * 15, this::refuse);
        often(scenario.breaks, lease * 6, this::breakLease);
    }

    /** Ends the faults: everything runs and is connected from now on. */
    void end() {
        if (!server.isUp()) {
            server.comeBack(true);
        }
        server.refuse(false);
        for (SimMember member : members) {
            member.cut(false);
            if (member.process().isStopped()) {
                member.process().wakeAndResume();
            }
        }
    }

    private void pause(SimMember member) {
        SimProcess process = member.process();
        world.note(process.name(), "stops");
        process.pause();
        during(() -> {
            world.note(process.name(), "goes on");
            process.resume();
        });
    }

    private void suspend(SimMember member) {
        SimProcess process = member.process();
        world.note(process.name(), "is suspended");
        process.suspend();
        long longest = chance.nextBoolean() ? scenario.lease * 3 : scenario.lease / 5;
        world.after(SHORTEST_SUSPENSION + chance.nextLong(longest), () -> {
            if (process.isSuspended()) {
                world.note(process.name(), "wakes");
                process.wake();
            }
        });
    }

    private void setWall(SimMember member) {
        long by = jump();
        world.note(member.process().name(), "sets its clock by", by);
        member.process().clock().setWall(by);
    }

    private void starve(SimMember member) {
        world.note(member.process().name(), "starves its executor");
        member.process().starve(chance.nextLong(scenario.lease * 2));
    }

    private void crash(SimMember member) {
        member.crash();
        during(member::start);
    }

    private void close(SimMember member) {
        member.close();
        during(member::start);
    }

    private void cutOff(SimMember member) {
        member.cut(true);
        during(() -> member.cut(false));
    }

    private void stopServer() {
        server.goDown();
        boolean withMemory = !scenario.memoryLoss || chance.nextBoolean();
        during(() -> {
            if (!server.isUp()) {
                server.comeBack(withMemory);
            }
        });
    }

    private void refuse() {
        server.refuse(true);
        during(() -> server.refuse(false));
    }

    private void flush() {
        if (server.isUp()) {
            world.note("node", "is flushed");
            server.forget();
        }
    }

    private void breakLease() {
        SimRequest request = server.newestLease(
                scenario.whole && chance.nextInt(3) == 0
                        ? SimScenario.OFFICE
                        : "lock-" + chance.nextInt(scenario.locks));
        world.note("operator", "breaks a lease", request);
        server.handle(request, answer -> {});
    }

    private void often(boolean drawn, long meanInterval, Runnable fault) {
        if (drawn) {
            long next = chance.nextLong(meanInterval * 2) + 1;
            world.after(next, () -> {
                if (world.now() < scenario.faultsEnd) {
                    fault.run();
                    often(true, meanInterval, fault);
                }
            });
        }
    }

    private void anyone(Consumer<SimMember> fault) {
        SimMember member = members.get(chance.nextInt(members.size()));
        if (!member.isClosed()
                && !member.process().isCrashed()
                && !member.process().isStopped()) {
            fault.accept(member);
        }
    }

    // Short, around the length of a lease, or much longer.
    private void during(Runnable end) {
        world.after(chance.nextLong(scenario.lease * (chance.nextInt(3) == 0 ? 6 : 1)) + 1, end);
    }

    // A few milliseconds to an hour, forward or back.
    private long jump() {
        long most = new long[] {5_000, 500_000, 10_000_000, 3_600_000_000L}[chance.nextInt(4)];
        return chance.nextLong(2 * most) - most;
    }
}
