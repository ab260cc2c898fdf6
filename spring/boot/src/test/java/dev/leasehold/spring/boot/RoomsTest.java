package dev.leasehold.spring.boot;

import dev.leasehold.architecture.LoggerNames;
import dev.leasehold.architecture.Rooms;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The rooms of this module: what is configured first, and what looks at it. */
class RoomsTest {

    private static final Rooms ROOMS = new Rooms("dev.leasehold.spring.boot")
            .room("autoconfigure")
            .room("observation", "autoconfigure")
            .room("actuate", "autoconfigure");

    @Test
    void arrowsRunOneWay() {
        ROOMS.checkArrows();
    }

    @Test
    void noLargeKnots() {
        ROOMS.checkKnots();
    }

    @Test
    void allLoggersBearTheModulesName() throws IOException {
        LoggerNames.checkThatAllAre("dev.leasehold.spring");
    }

    @Test
    void theEngineIsNotKnown() {
        ROOMS.checkKnowsNone("autoconfigure", "dev.leasehold.engine", "dev.leasehold.internal");
        ROOMS.checkKnowsNone("observation", "dev.leasehold.engine", "dev.leasehold.internal");
        ROOMS.checkKnowsNone("actuate", "dev.leasehold.engine", "dev.leasehold.internal");
    }
}
