package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testkit.Started;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database's clock is a day ahead for a moment, and is right again. What was free then is free. */
class ClockAheadTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    /** Sessions of MariaDB may have a time of their own. */
    private static Leasehold ahead() {
        long tomorrow = Instant.now().plus(1, ChronoUnit.DAYS).getEpochSecond();
        return Leasehold.connect(MARIADB.get().url() + "&sessionVariables=timestamp=" + tomorrow);
    }

    @Test
    void aLockThatWasReleasedMeanwhileIsFree() throws Exception {
        try (Leasehold ahead = ahead();
                Leasehold right = Leasehold.connect(MARIADB.get().url())) {
            ahead.lock(name).acquire().close();
            try (Lease lease = right.lock(name).tryAcquire().orElseThrow()) {
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void aPermitThatWasReleasedMeanwhileIsFree() throws Exception {
        try (Leasehold ahead = ahead();
                Leasehold right = Leasehold.connect(MARIADB.get().url())) {
            ahead.semaphore(name, 2).acquire().close();
            right.semaphore(name, 2).tryAcquire().orElseThrow().close();
            right.lock(name).tryAcquire().orElseThrow().close();
        }
    }

    @Test
    void aLockThatWasBrokenMeanwhileIsFree() throws Exception {
        try (Leasehold ahead = ahead();
                Leasehold right = Leasehold.connect(MARIADB.get().url())) {
            Lease broken = ahead.lock(name).acquire();
            assertThat(ahead.breakLock(name, broken.token())).isTrue();
            right.lock(name).tryAcquire().orElseThrow().close();
        }
    }
}
