package dev.leasehold.architecture;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Log lines are what a logger logs from a level on, until they are closed. */
public final class LogLines extends Handler implements AutoCloseable {

    /** Each line begins with its level. */
    public final List<String> lines = new CopyOnWriteArrayList<>();

    private final Logger logger;

    /** Begins to listen. */
    public LogLines(String logger, Level level) {
        this.logger = Logger.getLogger(logger);
        this.logger.setLevel(level);
        this.logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord entry) {
        lines.add(entry.getLevel() + " " + new SimpleFormatter().formatMessage(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(null);
    }
}
