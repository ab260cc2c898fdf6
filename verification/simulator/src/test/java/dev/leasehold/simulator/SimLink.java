package dev.leasehold.simulator;

import dev.leasehold.testtools.SimWorld;
import java.util.SplittableRandom;

/**
 * A simulated link is the line between one process and the node, one direction of it: messages take their time, get lost,
 * come twice, overtake one another, or, in a calm run, do none of this. A message that is sent while the line is cut is
 * lost without notice.
 */
final class SimLink {

    private final SimWorld world;
    private final SimScenario scenario;
    private final SplittableRandom chance;
    private final double loss;
    private long lastArrival;
    private boolean cut;

    SimLink(SimWorld world, SimScenario scenario, String name, double loss) {
        this.world = world;
        this.scenario = scenario;
        this.chance = world.chance("link " + name);
        this.loss = loss;
    }

    void cut(boolean now) {
        cut = now;
    }

    void send(Runnable arrival) {
        boolean faults = world.now() < scenario.faultsEnd;
        boolean lost = chance.nextDouble() < loss;
        boolean twice = chance.nextDouble() < scenario.repeats;
        if (cut || (lost && faults)) {
            return;
        }
        once(arrival);
        if (twice && faults) {
            once(arrival);
        }
    }

    private void once(Runnable arrival) {
        long at = world.now() + (world.now() < scenario.faultsEnd ? scenario.delay(chance) : scenario.typicalDelay);
        if (scenario.calm) {
            at = Math.max(at, lastArrival);
            lastArrival = at;
        }
        world.at(at, arrival);
    }
}
