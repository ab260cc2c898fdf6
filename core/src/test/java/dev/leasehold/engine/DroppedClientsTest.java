package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.architecture.LogLines;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that nobody closes keeps threads and connections: somebody has to hear of it. */
class DroppedClientsTest {

    private final LogLines log = new LogLines("dev.leasehold", Level.INFO);

    @AfterEach
    void stop() {
        log.close();
    }

    private static void dropOne() throws Exception {
        assertThat(Leasehold.builder()
                        .store(new WrappedStore())
                        .build()
                        .lock("a")
                        .acquire())
                .isNotNull();
    }

    private static void closeOne() throws Exception {
        try (Leasehold closed = Leasehold.connect("memory:closed")) {
            closed.lock("a").acquire().close();
        }
    }

    @Test
    void aDroppedClientIsToldWithThePlaceThatMadeIt() throws Exception {
        closeOne();
        dropOne();
        await().until(() -> {
            System.gc();
            closeOne();
            return log.lines.stream().anyMatch(line -> line.contains("was dropped without close()"));
        });
        assertThat(log.lines.stream().filter(line -> line.contains("was dropped")))
                .as("once, and not the closed ones")
                .singleElement()
                .asString()
                .matches("WARNING a client of the store .* It was made at .*DroppedClientsTest.dropOne\\(.*");
    }
}
