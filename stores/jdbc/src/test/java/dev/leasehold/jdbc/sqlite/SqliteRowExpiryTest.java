package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.SettableClock;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names that are used once do not stay for ever, and tokens do not notice. */
class SqliteRowExpiryTest {

    private static final Duration IDLE = Duration.ofDays(2);

    @TempDir
    Path directory;

    private final SettableClock clock = new SettableClock();
    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("locks.db");
    }

    @Test
    void rowsThatNobodyUsedForTwoDaysGoAndTokensIncrease() throws SQLException {
        try (TestClient ann = new TestClient(file, clock)) {
            LeaseId old = use(ann, "old", 200);
            assertThat(rows()).isEqualTo(200);
            clock.advance(IDLE.plusSeconds(1));
            use(ann, "new", 100);
            assertThat(rows()).isEqualTo(100);
            assertThat(ann.acquire("old199").token()).isGreaterThan(old.token());
        }
    }

    @Test
    void rowsWhoseTokensAreAheadOfTheWallClockStay() throws SQLException {
        try (TestClient ann = new TestClient(file, clock)) {
            LeaseId old = use(ann, "old", 20);
            clock.advance(IDLE.plusSeconds(1));
            clock.moveWall(IDLE.multipliedBy(-2));
            use(ann, "new", 20);
            assertThat(rows()).isEqualTo(40);
            assertThat(ann.acquire("old19").token()).isEqualTo(old.token() + 1);
        }
    }

    @Test
    void whatIsHeldOrWaitedForStays() throws SQLException {
        try (TestClient ann = new TestClient(file, clock);
                TestClient bob = new TestClient(file, clock)) {
            LeaseId held = ann.acquire("held");
            ann.renew(held, IDLE.multipliedBy(2));
            clock.advance(IDLE.plusSeconds(1));
            bob.busy(bob.newClaim("held"));
            use(ann, "new", 20);
            assertThat(rows()).isEqualTo(21);
            assertThat(ann.release(held).name()).isEqualTo("RELEASED");
        }
    }

    @Test
    void whatIsSharedStaysAndWhatWasSharedGoes() throws SQLException {
        try (TestClient ann = new TestClient(file, clock)) {
            LeaseId held = ann.granted(new Claim(ann.newId(), "held", 2, TestClient.LEASE, false))
                    .lease();
            ann.renew(held, IDLE.multipliedBy(2));
            ann.granted(new Claim(ann.newId(), "dead", Claim.UNLIMITED, TestClient.LEASE, false));
            clock.advance(IDLE.plusSeconds(1));
            use(ann, "new", 20);
            assertThat(rows()).isEqualTo(21);
            assertThat(rows("leasehold_holder")).isEqualTo(1);
            assertThat(ann.release(held).name()).isEqualTo("RELEASED");
        }
    }

    /** No lock that is made later finds holders under its number. */
    @Test
    void strayHoldersGoWithTheirLocksRow() throws SQLException {
        try (TestClient ann = new TestClient(file, clock)) {
            use(ann, "old", 1);
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO leasehold_holder (lock, token, owner, run_end, share, slot, since, boot,"
                        + " ends, span, handed) SELECT id, 1, '', 1, 2, 0, 0, boot, ends, 0, 0 FROM leasehold_lock");
            }
            clock.advance(IDLE.plusSeconds(1));
            use(ann, "new", 20);
            assertThat(rows()).isEqualTo(20);
            assertThat(rows("leasehold_holder")).isZero();
        }
    }

    @Test
    void aRowOfAnotherBootGoesOnceItIsOver() throws SQLException {
        try (TestClient ann = new TestClient(file, clock)) {
            ann.acquire("held");
        }
        SettableClock later = new SettableClock();
        later.reboot("boot-2");
        later.moveWall(IDLE.plusDays(1));
        try (TestClient bob = new TestClient(file, later)) {
            use(bob, "new", 20);
            assertThat(rows()).isEqualTo(21);
            later.advance(TestClient.LEASE);
            use(bob, "newer", 20);
            assertThat(rows()).isEqualTo(40);
        }
    }

    private static LeaseId use(TestClient client, String name, int times) {
        LeaseId last = null;
        for (int i = 0; i < times; i++) {
            last = client.acquire(name + i);
            client.release(last);
        }
        return last;
    }

    private long rows() throws SQLException {
        return rows("leasehold_lock");
    }

    private long rows(String table) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
