package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.RenewAnswer.Renewed;
import dev.leasehold.spi.Validity;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the two clocks of one request: that of its client, and that of the file, by which the lease ends. */
@Tag("slow")
class SqliteDeadlineTest {

    @TempDir
    Path dir;

    private final AtomicLong fileClockReadAt = new AtomicLong();

    /** Notes when it was read last, on the client's monotonic clock. */
    private final ExpiryClock clock = new ExpiryClock() {
        private final ExpiryClock machine = ExpiryClock.ofThisMachine();

        @Override
        public String boot() {
            return machine.boot();
        }

        @Override
        public long micros() {
            fileClockReadAt.set(System.nanoTime());
            return machine.micros();
        }
    };

    /** A commit may take long, and a lease that counted from its end would be believed in for so much longer. */
    @Test
    void aLeaseCountsFromBeforeTheFilesClockWasRead() {
        try (TestClient client = new TestClient(dir.resolve("locks.db"), clock)) {
            Granted granted = client.granted(client.newClaim("a"));
            countsFromBefore(granted.validity());
            countsFromBefore(((Renewed) client.renew(granted.lease(), TestClient.LEASE)).validity());
        }
    }

    private void countsFromBefore(Validity validity) {
        assertThat(validity.sentAt().nanos() - fileClockReadAt.get()).isNotPositive();
    }
}
