package dev.leasehold.jdbc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Warnings are those that the stores of databases log until this is closed. */
final class Warnings implements AutoCloseable {

    private final Logger logger = Logger.getLogger("dev.leasehold.jdbc");
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
                seen.add(logged.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    Warnings() {
        logger.addHandler(handler);
    }

    List<String> seen() {
        return seen;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
