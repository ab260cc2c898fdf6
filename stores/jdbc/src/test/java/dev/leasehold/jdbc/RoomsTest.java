package dev.leasehold.jdbc;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** The rooms of this module have these arrows between them. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.jdbc")
            .room("connection")
            .room("protocol")
            .room("dialect", "connection")
            .room("fence", "connection", "dialect")
            .room("sqlite", "connection", "protocol")
            .room("server", "connection", "dialect", "protocol")
            .room("doctor", "connection", "dialect", "server")
            .room("", "connection", "dialect", "fence", "sqlite", "server", "doctor");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }
}
