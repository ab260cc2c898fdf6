package dev.leasehold.engine;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;

/**
 * A patient question is asked again if no connection came for it in the time that one has. A JVM that has just started takes longer
 * for its first connection on a busy machine; a store that refuses at once is believed.
 *
 * @param <T> the answer
 */
@FunctionalInterface
interface PatientQuestion<T> {

    Duration AT_ONCE = Duration.ofSeconds(1);
    long PAUSE_MILLIS = 100;

    /** Asks once. */
    T ask() throws InterruptedException;

    /**
     * Asks until three quarters of the store timeout are over, unless the store was quick to refuse. An attempt to connect takes
     * five seconds at most, so with the usual ten there is time for a second.
     */
    default T ask(TimeSource time, Duration storeTimeout) throws InterruptedException {
        long begun = time.nanos();
        boolean refused = false;
        while (true) {
            try {
                return ask();
            } catch (StoreUnavailableException e) {
                Duration taken = Duration.ofNanos(time.nanos() - begun);
                refused |= taken.compareTo(AT_ONCE) < 0;
                if (refused
                        || e.isStoreDown()
                        || e.outcome() != StoreUnavailableException.Outcome.NOT_CARRIED_OUT
                        || taken.compareTo(storeTimeout.multipliedBy(3).dividedBy(4)) >= 0) {
                    throw e;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }
}
