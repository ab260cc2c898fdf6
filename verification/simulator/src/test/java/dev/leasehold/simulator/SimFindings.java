package dev.leasehold.simulator;

import dev.leasehold.testtools.SimWorld;
import java.util.ArrayList;
import java.util.List;

/** The findings are the faults that were found in a run. */
final class SimFindings {

    private static final int ENOUGH = 10;

    private final SimWorld world;
    private final List<String> found = new ArrayList<>();

    SimFindings(SimWorld world) {
        this.world = world;
    }

    void add(String promise, String what) {
        world.note("judge", promise, what);
        if (found.size() < ENOUGH) {
            found.add(String.format("%s at %.6f ms: %s", promise, world.now() / 1e6, what));
        }
    }

    /** Runs a piece of the simulation whose failure would otherwise be logged somewhere. */
    void guard(String who, Runnable piece) {
        try {
            piece.run();
        } catch (RuntimeException e) {
            add("API", who + " met " + e + " at " + (e.getStackTrace().length > 0 ? e.getStackTrace()[0] : "?"));
        }
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    List<String> all() {
        return List.copyOf(found);
    }
}
