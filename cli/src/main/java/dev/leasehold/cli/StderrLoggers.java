package dev.leasehold.cli;

import java.lang.System.Logger;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Standard error loggers log for the library: nothing without {@code -v}, since each outcome has its own message; else
 * warnings on one line each. Being here also spares the start of java.util.logging.
 */
public final class StderrLoggers extends System.LoggerFinder {

    static volatile boolean verbose;

    /** Makes it for the service loader. */
    public StderrLoggers() {}

    @Override
    public Logger getLogger(String name, Module module) {
        return new OneLine(name);
    }

    private record OneLine(String name) implements Logger {

        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return verbose && level.compareTo(Level.WARNING) >= 0 && level != Level.OFF;
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                Terminal.standard().say(Escapes.shown(text + (thrown == null ? "" : ": " + thrown)));
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... parameters) {
            if (isLoggable(level) && format != null) {
                boolean plain = parameters == null || parameters.length == 0;
                log(level, bundle, plain ? format : MessageFormat.format(format, parameters), (Throwable) null);
            }
        }
    }
}
