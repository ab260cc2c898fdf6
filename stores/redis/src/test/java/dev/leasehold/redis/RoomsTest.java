package dev.leasehold.redis;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** The rooms of this module have these arrows between them. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.redis")
            .room("connection")
            .room("script")
            .room("quorum")
            .room("node", "connection", "script")
            .room("voter", "node", "quorum", "script")
            .room("doctor", "connection", "node", "script")
            .room("", "connection", "script", "quorum", "node", "voter", "doctor");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }

    @Test
    void theQuorumKnowsNoLettuceAndNoNetty() {
        ROOMS.checkKnowsNone("quorum", "io.lettuce", "io.netty");
    }
}
