package dev.leasehold.spring;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** The rooms of this module: two bridges that nothing else here knows, and what our own modules share. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.spring")
            .room("integration")
            .room("shedlock")
            .room("internal")
            .room("", "internal");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }

    @Test
    void theEngineIsNotKnown() {
        ROOMS.checkKnowsNone("", "dev.leasehold.engine", "dev.leasehold.internal");
        ROOMS.checkKnowsNone("internal", "dev.leasehold.engine", "dev.leasehold.internal");
        ROOMS.checkKnowsNone("integration", "dev.leasehold.engine", "dev.leasehold.internal");
        ROOMS.checkKnowsNone("shedlock", "dev.leasehold.engine", "dev.leasehold.internal");
    }
}
