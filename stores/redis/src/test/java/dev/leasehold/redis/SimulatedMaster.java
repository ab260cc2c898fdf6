package dev.leasehold.redis;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.testtools.SimClock;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The machine of a master in the simulation: its clock, which drifts and can be wrong, and whether it is up. */
public final class SimulatedMaster {

    private final SimWorld world;
    private final String name;
    private final SimClock clock;
    private final double rate;
    private final ModelMaster model;
    private final Map<String, BiConsumer<ClaimId, Long>> inboxes = new HashMap<>();
    private int runs = 1;
    private boolean up = true;

    public SimulatedMaster(
            SimWorld world, String name, double rate, long wrongByMicros, Set<QuorumRule> off, Duration maxLease) {
        this.world = world;
        this.name = name;
        clock = new SimClock(world, 1, 0, true);
        this.rate = rate;
        clock.setWall(wrongByMicros);
        model = new ModelMaster(off, maxLease, name + ".1", (attempt, token) -> {
            BiConsumer<ClaimId, Long> inbox = inboxes.get(attempt.client());
            if (inbox != null) {
                inbox.accept(attempt, token);
            }
        });
    }

    String name() {
        return name;
    }

    String run() {
        return model.run();
    }

    /** The node's clock: now too fast, now too slow, by up to a hundredth, and never far from where it was set. */
    long micros() {
        return clock.read().wallMicros() + drift();
    }

    private long drift() {
        long half = 4_000_000_000L;
        long phase = world.now() % (2 * half);
        long way = phase < half ? phase : 2 * half - phase;
        return (long) (way * (rate - 1) / 1000);
    }

    public void listen(String client, BiConsumer<ClaimId, Long> inbox) {
        inboxes.put(client, inbox);
    }

    /** Carries a request out, if the machine is up. */
    public void handle(Consumer<ModelMaster> request) {
        if (up) {
            request.accept(model.at(micros()));
        }
    }

    void note(String what, Object answer) {
        world.note(name, what, answer);
    }

    void save() {
        model.save();
    }

    public void goDown() {
        up = false;
        world.note(name, "is down");
    }

    void comeBack(boolean fromSnapshot) {
        runs++;
        up = true;
        world.note(name, fromSnapshot ? "is back with what it had saved" : "is back, empty");
        if (fromSnapshot) {
            model.restartFromSnapshot(name + "." + runs);
        } else {
            model.restartEmpty(name + "." + runs);
        }
    }

    void trust() {
        model.trust();
    }

    void comeBackWithEverything() {
        runs++;
        up = true;
        world.note(name, "is back with all that it had");
        model.restartWithEverything(name + "." + runs);
    }

    void resynchronise() {
        world.note(name, "was for a while the replica of one that lagged");
        model.resynchronise();
    }

    void followCopy() {
        world.note(name, "has followed a copy of itself that let everything run out");
        model.followCopy();
    }

    void flush() {
        world.note(name, "is flushed");
        model.flush();
    }

    void setClock(long byMicros) {
        world.note(name, "has its clock set by", byMicros);
        clock.setWall(byMicros);
    }
}
