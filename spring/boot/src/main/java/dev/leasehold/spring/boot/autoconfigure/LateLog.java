package dev.leasehold.spring.boot.autoconfigure;

import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The late log takes what Leasehold logs to Spring's logging once {@code java.util.logging} has lost its handlers. The JVM
 * takes them away as soon as it begins to end, the one that leads to Spring's logging among them, while the application
 * goes on to end its work and to close its clients.
 */
final class LateLog extends Handler {

    /** One for all contexts, or each would tell each line. */
    static final LateLog ONE = new LateLog();

    /** The JVM keeps a logger only as long as somebody else does. */
    private final Logger logger = Logger.getLogger("dev.leasehold");

    private final Logger root = Logger.getLogger("");
    /** Spring's logging may be java.util.logging itself, which comes back here. */
    private final ThreadLocal<Boolean> telling = ThreadLocal.withInitial(() -> false);

    private final ReentrantLock lock = new ReentrantLock();
    private int contexts;
    private volatile boolean begun;

    private LateLog() {}

    void begin() {
        lock.lock();
        try {
            begun = true;
            if (contexts++ == 0) {
                logger.addHandler(this);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends with the last context, but not where the JVM ends: the last lines may come later. */
    void end() {
        lock.lock();
        try {
            if (--contexts == 0 && !isJvmEnding()) {
                begun = false;
                logger.removeHandler(this);
            }
        } finally {
            lock.unlock();
        }
    }

    private static boolean isJvmEnding() {
        Thread none = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(none);
            Runtime.getRuntime().removeShutdownHook(none);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Override
    public void publish(LogRecord line) {
        if (root.getHandlers().length > 0 || telling.get()) {
            return;
        }
        telling.set(true);
        try {
            tell(line);
        } finally {
            telling.remove();
        }
    }

    private static void tell(LogRecord line) {
        Log log = LogFactory.getLog(line.getLoggerName());
        String text = new SimpleFormatter().formatMessage(line);
        int level = line.getLevel().intValue();
        if (level >= Level.SEVERE.intValue()) {
            log.error(text, line.getThrown());
        } else if (level >= Level.WARNING.intValue()) {
            log.warn(text, line.getThrown());
        } else if (level >= Level.INFO.intValue()) {
            log.info(text, line.getThrown());
        } else {
            log.debug(text, line.getThrown());
        }
    }

    @Override
    public void flush() {}

    /** Comes back: the JVM closes all handlers when it begins to end. */
    @Override
    public void close() {
        if (begun) {
            logger.addHandler(this);
        }
    }
}
