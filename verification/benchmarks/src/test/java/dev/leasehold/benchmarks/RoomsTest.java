package dev.leasehold.benchmarks;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rooms of this module have these arrows between them. */
@Tag("slow")
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.benchmarks")
            .room("jmh")
            .room("jmh.jmh_generated", "jmh")
            .room("report")
            .room("server")
            .room("study", "report")
            .room("peer", "server")
            .room("worker", "peer", "server")
            .room("", "peer", "report", "server", "study", "worker");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }
}
