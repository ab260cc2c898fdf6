package dev.leasehold.simulator;

import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

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
    private final SimOffices offices;
    private final String name;
    private final SplittableRandom chance;
    private final List<SimLink> links;
    private final List<SimActor> callers = new ArrayList<>();
    private int starts;
    private SimProcess process;
    private Leasehold client;
    private String clientId = "";
    private boolean closed;
    private final List<Runnable> checksAtEnd = new ArrayList<>();

    SimMember(
            SimWorld world,
            SimScenario scenario,
            SimFindings findings,
            SimServer server,
            SimJudge judge,
            SimOffices offices,
            String name) {
        this.world = world;
        this.scenario = scenario;
        this.findings = findings;
        this.server = server;
        this.judge = judge;
        this.offices = offices;
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

    SimWorld world() {
        return world;
    }

    SimScenario scenario() {
        return scenario;
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
        callers.forEach(SimActor::gone);
    }

    /** Closes the client, in the process. */
    void close() {
        if (process.isCrashed()) {
            return;
        }
        process.run(() -> {
            world.note(process.name(), "closes");
            closed = true;
            callers.forEach(SimActor::clientCloses);
            long limit = chance.nextBoolean() ? 0 : chance.nextLong(scenario.lease);
            List<SimActor> present =
                    callers.stream().filter(actor -> actor.process == process).toList();
            String id = clientId;
            SimProcess in = process;
            CompletableFuture<?> closing = client.closeAsync(Duration.ofNanos(limit));
            checksAtEnd.add(() -> {
                if (!closing.isDone() && !in.isCrashed()) {
                    findings.add("PROGRESS", in.name() + " never ends to close");
                }
            });
            closing.thenRun(() -> {
                present.forEach(SimActor::clientIsClosed);
                if (scenario.whole) {
                    world.after(scenario.longestAfterClose(), () -> offices.holdsNothing(id));
                }
            });
        });
    }

    /** Checks, when all is over, that everybody has come to an end. */
    void checkEnd() {
        callers.forEach(SimActor::checkEnd);
        checksAtEnd.forEach(Runnable::run);
    }

    void cut(boolean now) {
        world.note(process.name(), now ? "is cut off" : "is reached again");
        links.forEach(link -> link.cut(now));
    }

    boolean isIdle() {
        return callers.stream().allMatch(SimActor::isIdle);
    }

    List<SimActor> callers() {
        return callers;
    }

    private Leasehold newClient() {
        starts++;
        SimProcess in = process;
        LeaseholdBuilder builder = Leasehold.builder();
        if (scenario.whole) {
            SimObserver observer = new SimObserver(
                    findings,
                    () -> callers.stream()
                            .filter(actor -> actor.process == in)
                            .findFirst()
                            .ifPresent(SimActor::disturb));
            builder.observer(observer);
            checksAtEnd.add(() -> observer.checkEnd(in));
        }
        return builder.store(context -> {
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
        callers.removeIf(SimActor::isIdle);
        List<SimCall> waiting = new ArrayList<>();
        for (int i = 0; i < scenario.callers; i++) {
            callers.add(new SimCaller(this, findings, judge, process.name() + "/" + i, chance.split(), waiting));
        }
        if (scenario.whole) {
            callers.add(new SimCandidate(this, findings, judge, offices, process.name() + "/c", chance.split()));
            callers.add(new SimSetCaller(this, findings, judge, process.name() + "/s", chance.split()));
            callers.add(new SimSetCaller(this, findings, judge, process.name() + "/t", chance.split()));
        }
        callers.forEach(SimActor::start);
    }
}
