package dev.leasehold.testkit;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** The rooms of this module: the rules for stores, and the simulator, which applies them. */
class RoomsTest {

    private static final Rooms ROOMS =
            new Rooms("dev.leasehold.testkit").room("").room("sim", "");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }
}
