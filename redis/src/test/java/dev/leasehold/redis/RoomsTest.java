package dev.leasehold.redis;

import dev.leasehold.architecture.Rooms;
import org.junit.jupiter.api.Test;

/** The rooms of this module have these arrows between them. */
class RoomsTest {

    private final Rooms rooms = new Rooms("dev.leasehold.redis")
            .room("connection")
            .room("script")
            .room("quorum")
            .room("node", "connection", "script")
            .room("voter", "node", "quorum", "script")
            .room("doctor", "connection", "node", "script")
            .room("", "connection", "script", "quorum", "node", "voter", "doctor");

    @Test
    void arrowsRunOneWay() {
        rooms.checkArrows();
    }

    @Test
    void noLargeKnots() {
        rooms.checkKnots();
    }

    @Test
    void theQuorumKnowsNoLettuceAndNoNetty() {
        rooms.checkKnowsNone("quorum", "io.lettuce", "io.netty");
    }
}
