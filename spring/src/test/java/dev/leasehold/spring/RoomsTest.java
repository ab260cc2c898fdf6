package dev.leasehold.spring;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** The rooms of this module: two bridges that nothing else here knows. */
class RoomsTest {

    private final Rooms rooms = new Rooms("dev.leasehold.spring")
            .room("integration")
            .room("shedlock")
            .room("");

    @Test
    void arrowsRunOneWay() {
        rooms.checkArrows();
    }

    @Test
    void noLargeKnots() {
        rooms.checkKnots();
    }
}
