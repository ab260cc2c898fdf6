package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that nobody closes keeps threads and connections: somebody has to hear of it. */
class DroppedClientsTest {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("dev.leasehold");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            lines.add(entry.getLevel() + " " + new SimpleFormatter().formatMessage(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stop() {
        logger.removeHandler(handler);
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
            return lines.stream().anyMatch(line -> line.contains("was dropped without close()"));
        });
        assertThat(lines.stream().filter(line -> line.contains("was dropped")))
                .as("once, and not the closed ones")
                .singleElement()
                .asString()
                .matches("WARNING a client of the store .* It was made at .*DroppedClientsTest.dropOne\\(.*");
    }
}
