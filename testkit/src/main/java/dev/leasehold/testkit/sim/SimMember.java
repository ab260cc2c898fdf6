package dev.leasehold.testkit.sim;

import dev.leasehold.Leasehold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A simulated member is a place in the simulation that one process after the other fills: each with a client of its own, the
 * real one, and a few callers.
 */
final class SimMember {

    private final SimWorld world;
    private final SimScenario scenario;
    private final SimFindings findings;
    private final SimServer server;
    private final SimJudge judge;
    private final String name;
    private final SplittableRandom chance;
    private final List<SimLink> links;
    private final List<SimCaller> callers = new ArrayList<>();
    private int starts;
    private SimProcess process;
    private Leasehold client;
    private String clientId = "";
    private boolean closed;

    SimMember(
            SimWorld world, SimScenario scenario, SimFindings findings, SimServer server, SimJudge judge, String name) {
        this.world = world;
        this.scenario = scenario;
        this.findings = findings;
        this.server = server;
        this.judge = judge;
        this.name = name;
        this.chance = world.chance("member " + name);
        this.links = List.of(
                new SimLink(world, scenario, name + " there", scenario.loss),
                new SimLink(world, scenario, name + " back", scenario.loss),
                new SimLink(world, scenario, name + " pushed", scenario.signalLoss));
        this.process = new SimProcess(world, scenario, name + ".1");
        this.client = newClient();
        startCallers();
    }

    SimProcess process() {
        return process;
    }

    Leasehold client() {
        return client;
    }

    String clientId() {
        return clientId;
    }

    boolean isClosed() {
        return closed;
    }

    void start() {
        if (closed || process.isCrashed()) {
            process = new SimProcess(world, scenario, name + "." + (starts + 1));
            client = newClient();
            closed = false;
            startCallers();
        }
    }

    void crash() {
        world.note(process.name(), "crashes");
        process.crash();
        server.disconnect(clientId);
        judge.gone(process);
        callers.forEach(SimCaller::gone);
    }

    /** Closes the client, in the process. */
    void close() {
        if (process.isCrashed()) {
            return;
        }
        process.run(() -> {
            world.note(process.name(), "closes");
            closed = true;
            callers.forEach(SimCaller::clientCloses);
            long limit = chance.nextBoolean() ? 0 : chance.nextLong(scenario.lease);
            List<SimCaller> present = List.copyOf(callers);
            client.closeAsync(Duration.ofNanos(limit)).thenRun(() -> present.forEach(SimCaller::clientIsClosed));
        });
    }

    void cut(boolean now) {
        world.note(process.name(), now ? "is cut off" : "is reached again");
        links.forEach(link -> link.cut(now));
    }

    boolean isIdle() {
        return callers.stream().allMatch(SimCaller::isIdle);
    }

    List<SimCaller> callers() {
        return callers;
    }

    private Leasehold newClient() {
        starts++;
        SimProcess in = process;
        return Leasehold.builder()
                .store(context -> {
                    clientId = context.clientId();
                    return new SimStore(world, scenario, context, in, server, links);
                })
                .timeSource(in)
                .executor(in::execute)
                .random(world.chance("client " + in.name()))
                .storeTimeout(scenario.storeTimeout)
                .localHandOvers(scenario.localHandOvers)
                .label(in.name())
                .build();
    }

    private void startCallers() {
        callers.removeIf(SimCaller::isIdle);
        List<SimCall> waiting = new ArrayList<>();
        for (int i = 0; i < scenario.callers; i++) {
            callers.add(new SimCaller(
                    world, scenario, findings, judge, this, process.name() + "/" + i, chance.split(), waiting));
        }
        callers.forEach(SimCaller::start);
    }
}
