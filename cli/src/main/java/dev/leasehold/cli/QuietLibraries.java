package dev.leasehold.cli;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * QuietLibraries sends the logs of the stores' client libraries nowhere, since each outcome has its own message. Without a
 * provider SLF4J complains on standard error; and with {@code slf4j-nop} Netty looks for a logger that does speak.
 */
public final class QuietLibraries implements SLF4JServiceProvider {

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new NOPMDCAdapter();

    /** Makes it for the service loader. */
    public QuietLibraries() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> NOPLogger.NOP_LOGGER;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}
}
