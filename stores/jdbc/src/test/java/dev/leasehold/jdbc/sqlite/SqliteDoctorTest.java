package dev.leasehold.jdbc.sqlite;

import static dev.leasehold.testkit.Findings.codes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Examination;
import dev.leasehold.Finding;
import dev.leasehold.Finding.Severity;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.testkit.Findings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteDoctorTest {

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("locks.db");
    }

    private Examination examine() throws InterruptedException {
        return Findings.examine("sqlite:" + file());
    }

    @Test
    void aStoreThatIsNotThereYetIsNotMade() throws Exception {
        Examination seen = examine();

        assertThat(codes(seen.findings(), Severity.NOTE)).contains("sqlite-missing");
        assertThat(file()).doesNotExist();
    }

    @Test
    void aGoodStoreIsTriedAndFoundGood() throws Exception {
        try (Leasehold client = Leasehold.connect("sqlite:" + file())) {
            client.lock("x").run(lease -> {});
        }
        Examination seen = examine();

        assertThat(seen.worst()).isGreaterThanOrEqualTo(Severity.NOTE);
        assertThat(codes(seen.findings(), Severity.FINE)).contains("sqlite-closed", "trial");
        assertThat(codes(seen.findings(), Severity.NOTE)).doesNotContain("sqlite-missing", "sqlite-other-boot");
        assertThat(seen.verdict()).contains("under every fault that was looked for");
    }

    @Test
    void whatOthersMayWriteAndLeasesOfAnotherBootAreNamed() throws Exception {
        try (Leasehold client = Leasehold.connect("sqlite:" + file())) {
            Lease held = client.lock("x").acquire();
            assertThat(held.isValid()).isTrue();
            try (var connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + file());
                    var statement = connection.createStatement()) {
                statement.execute("UPDATE leasehold_lock SET boot = 'another'");
            }
            Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-rw-rw-"));
            Examination seen = examine();

            assertThat(codes(seen.findings(), Severity.WARNING)).containsExactly("sqlite-open");
            assertThat(codes(seen.findings(), Severity.NOTE)).contains("sqlite-other-boot");
        }
    }

    @Test
    void whatIsNoDatabaseIsSerious() throws Exception {
        Files.writeString(file(), "this is no database, but long enough to look at".repeat(30));
        Examination seen = examine();

        assertThat(codes(seen.findings(), Severity.SERIOUS)).containsExactly("trial-failed");
        assertThat(seen.verdict()).startsWith("Do not rely on locks here");
    }

    @Test
    void leasesThatEndByTheWallClockAreAWarning() {
        List<Finding> findings = new SqliteDoctor(new StoreFile(file()), new ExpiryClock.WallClock()).examine();

        assertThat(codes(findings, Severity.WARNING)).containsExactly("sqlite-wall-clock");
        assertThat(new Examination(findings).verdict()).contains("except after: the wall clock has been set");
    }
}
