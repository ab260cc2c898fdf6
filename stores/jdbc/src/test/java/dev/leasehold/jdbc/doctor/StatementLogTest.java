package dev.leasehold.jdbc.doctor;

import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testtools.Findings;
import dev.leasehold.testtools.Started;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A binary log of statements takes no change of InnoDB's at READ COMMITTED, at which locks are taken. */
@Tag("slow")
class StatementLogTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB =
            new Started<>(() -> MariaDbServer.start(List.of("--log-bin=log", "--binlog-format=STATEMENT")));

    @Test
    void theDoctorSaysThatNobodyGetsALock() throws Exception {
        String url = MARIADB.get().url();
        assertThat(the("database-statement-log", Findings.examine(url)).severity())
                .isEqualTo(Severity.SERIOUS);
        try (Leasehold client = Leasehold.connect(url)) {
            assertThatThrownBy(() -> client.lock("a").acquire()).hasMessageContaining("BINLOG_FORMAT");
        }
    }
}
