package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClockReading;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;

/**
 * An expiry clock is the time by which leases end in an embedded store: one that all processes of the machine read alike.
 *
 * <p>Thread-safe.
 */
public interface ExpiryClock {

    /** Names the clock. Readings under two names cannot be compared. */
    String boot();

    /** Returns the microseconds from an origin that belongs to {@link #boot()}. */
    long micros();

    /** Returns the microseconds since 1970 on the wall clock, for tokens and for people. */
    default long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** Begins a transaction, which has the database to itself from now on. */
    default TxContext begin(ClockReading sentAt) {
        return new TxContext(sentAt, boot(), micros(), wallMicros(), new ArrayList<>());
    }

    /** Returns the kernel's monotonic clock where this process can be sure that it reads it, else the wall clock. */
    static ExpiryClock ofThisMachine() {
        return Machine.CLOCK;
    }

    /** A holder of the machine's clock looks it up once. */
    final class Machine {
        private static final ExpiryClock CLOCK =
                KernelClock.find(Path.of("/proc")).orElseGet(WallClock::new);

        private Machine() {}
    }

    /**
     * The wall clock is the machine's, used where there is nothing better: setting this clock forward ends leases early,
     * setting it back late.
     */
    final class WallClock implements ExpiryClock {
        @Override
        public String boot() {
            return "wall";
        }

        @Override
        public long micros() {
            return wallMicros();
        }
    }
}
