package dev.leasehold.testkit;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** This module is one room: the rules for stores. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.testkit").room("");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }
}
