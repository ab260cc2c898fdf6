package dev.leasehold.jdbc.sqlite;

import static dev.leasehold.testtools.Findings.codes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.testtools.Findings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;
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

    /** Every process of the machine that may read the file can do so. */
    @Test
    void aReaderThatNeverEndsLetsTheLogGrow() throws Exception {
        AtomicInteger warnings = new AtomicInteger();
        Logger logger = Logger.getLogger("dev.leasehold.jdbc");
        Filter before = logger.getFilter();
        logger.setFilter(line -> {
            if (line.getMessage().contains("nobody can cut the log off")) {
                warnings.incrementAndGet();
            }
            return true;
        });
        try (Leasehold client = Leasehold.connect("sqlite:" + file());
                Connection reader = DriverManager.getConnection("jdbc:sqlite:" + file());
                Connection writer = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            client.lock("x").run(lease -> {});
            reader.setAutoCommit(false);
            reader.createStatement()
                    .executeQuery("SELECT * FROM leasehold_lock")
                    .next();
            for (String each : List.of("CREATE TABLE much AS SELECT zeroblob(70000000)", "DROP TABLE much")) {
                writer.createStatement().execute(each); // In place of ten thousand locks.
            }
            for (int i = 0; i < 300; i++) {
                client.lock("x").run(lease -> {});
            }
            assertThat(warnings).hasValue(1);
            assertThat(codes(examine().findings(), Severity.WARNING)).containsExactly("sqlite-log-long");
            int said = warnings.get(); // The doctor's trial is another client.
            reader.close();
            for (int i = 0; i < 150; i++) {
                client.lock("x").run(lease -> {});
            }
            assertThat(warnings).hasValue(said);
            assertThat(codes(examine().findings(), Severity.WARNING)).isEmpty();
        } finally {
            logger.setFilter(before);
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
