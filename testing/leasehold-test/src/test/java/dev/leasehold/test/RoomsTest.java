package dev.leasehold.test;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** This module is one room. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.test").room("");

    @Test
    void thereIsOneRoom() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }
}
