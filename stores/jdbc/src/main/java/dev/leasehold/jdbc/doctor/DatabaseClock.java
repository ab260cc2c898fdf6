package dev.leasehold.jdbc.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.spi.TimeSource;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * A database clock measures how far away a database is and how its clock differs from this machine's, with the bound of
 * error.
 */
final class DatabaseClock {

    private static final int READINGS = 10;
    private static final long FAR_MICROS = 50_000;
    private static final long VERY_LATE_MICROS = 1_000_000;
    private static final long WRONG_MICROS = 1_000_000;

    private DatabaseClock() {}

    static List<Finding> findings(String node, Sql sql, Dialect dialect, TimeSource time) throws SQLException {
        long[] trips = new long[READINGS];
        long ahead = 0;
        long error = Long.MAX_VALUE;
        for (int i = 0; i < READINGS; i++) {
            long before = time.now().wallMicros();
            long begin = time.nanos();
            long theirs = sql.number("SELECT " + dialect.now());
            trips[i] = (time.nanos() - begin) / 1_000;
            if (trips[i] / 2 < error) {
                error = trips[i] / 2;
                ahead = theirs - before - error;
            }
        }
        Arrays.sort(trips);
        return List.of(clock(node, ahead, error), latency(node, trips[READINGS / 2], trips[READINGS - 1]));
    }

    static Finding clock(String node, long ahead, long error) {
        String seen = "its clock is " + millis(Math.abs(ahead)) + " (± " + millis(error) + ") "
                + (ahead < 0 ? "behind" : "ahead of") + " this machine's";
        return Math.abs(ahead) - error > WRONG_MICROS
                ? Finding.of(Severity.WARNING, "database-clock-wrong", node, seen)
                        .meaning(
                                "locks do not depend on this machine's clock; but if it is the database's that is wrong, setting "
                                        + "it right at one stroke ends leases early or late",
                                "have both kept right by NTP, and set a database's clock only slowly")
                        .fencedOnlyAfter("the database's clock has been set")
                : Finding.of(Severity.FINE, "database-clock", node, seen);
    }

    static Finding latency(String node, long median, long worst) {
        String seen = "a round trip takes " + millis(median) + " (median), " + millis(worst) + " (worst)";
        return median > FAR_MICROS || worst > VERY_LATE_MICROS
                ? Finding.of(Severity.WARNING, "database-far", node, seen)
                        .meaning(
                                "taking a free lock costs one round trip, giving it back another; a renewal that is late puts "
                                        + "leases at risk",
                                "use a database that is nearer, or take leases that are much longer than its worst delay")
                : Finding.of(Severity.FINE, "database-latency", node, seen);
    }

    private static String millis(long micros) {
        return micros >= 10_000 ? micros / 1_000 + " ms" : micros / 1_000 + "." + micros % 1_000 / 100 + " ms";
    }
}
