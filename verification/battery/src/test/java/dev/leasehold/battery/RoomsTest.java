package dev.leasehold.battery;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** This module is one room. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.battery").room("");

    @Test
    void thereIsOneRoom() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }

    @Test
    void theEngineIsNotKnown() {
        ROOMS.checkKnowsNone("", "dev.leasehold.engine", "dev.leasehold.internal");
    }
}
