package dev.leasehold.simulator;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The engine log keeps what thousands of simulated clients log away from the console, and notes where the engine reports a
 * fault.
 */
final class EngineLog implements BeforeAllCallback, AfterAllCallback {

    private final Logger logger = Logger.getLogger("dev.leasehold");
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.SEVERE.intValue()) {
                faults.add(line.getMessage() + ": " + line.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** Returns the engine's own faults so far. */
    List<String> faults() {
        return faults;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        logger.addHandler(handler);
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            if (!"simulated".equals(e.getMessage())) { // That was thrown by a simulated listener.
                faults.add("uncaught: " + e);
            }
        });
        logger.setUseParentHandlers(false);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Thread.setDefaultUncaughtExceptionHandler(null);
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }
}
