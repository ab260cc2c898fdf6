package dev.leasehold.jdbc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.SettableClock;
import dev.leasehold.jdbc.TestClient;
import dev.leasehold.jdbc.protocol.TxContext.Notification;
import dev.leasehold.jdbc.sqlite.SqliteConnection;
import dev.leasehold.jdbc.sqlite.SqliteViews;
import dev.leasehold.jdbc.sqlite.StoreFile;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.RealTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * These tests show who is to be told what; and that it reaches the other clients of this JVM. (Looking at the
 * file would find it too, later.)
 */
class NotificationTest {

    @TempDir
    Path directory;

    @AutoClose
    private final RealTime time = new RealTime();

    private final SettableClock clock = new SettableClock();
    private TestClient signals;
    private SqliteConnection database;
    private Protocol protocol;

    @BeforeEach
    void open() throws SQLException {
        Path file = directory.resolve("locks.db");
        signals = new TestClient(file, clock);
        database = SqliteConnection.open(new StoreFile(file));
        protocol = new SqliteViews(database.sql(), "")
                .protocol(new StoreContext("ann", "", "", time, Duration.ofMinutes(1), signals));
    }

    @AfterEach
    void close() {
        database.close();
        signals.close();
    }

    @Test
    void theNextHolderAndTheBrokenOneAreTold() throws SQLException {
        LeaseId held = ((Granted) protocol.claim(claim("ann"), transaction())).lease();
        protocol.claim(claim("bob"), transaction());
        protocol.claim(claim("cem"), transaction());

        TxContext release = transaction();
        protocol.release(held, Duration.ZERO, release);
        assertThat(release.notifications()).containsExactly(new Notification.Granted("bob"));

        TxContext broken = transaction();
        long token = protocol.inspect(NamePattern.of("*"), transaction())
                .get(0)
                .holder()
                .token();
        protocol.breakLease("a", token, broken);
        assertThat(broken.notifications())
                .containsExactly(new Notification.Broken("bob", "a"), new Notification.Granted("cem"));
    }

    @Test
    void whoAsksItselfNeedsNoNotification() throws SQLException {
        TxContext transaction = transaction();
        protocol.claim(claim("ann"), transaction);
        assertThat(transaction.notifications()).isEmpty();
    }

    @Test
    void notificationsStayWithinTheirFile() {
        List<String> heard = new ArrayList<>();
        LocalClients.LocalClient ann = localClient("ann", heard);
        LocalClients.LocalClient bob = localClient("bob", heard);
        LocalClients.LocalClient elsewhere = localClient("ann", heard);
        LocalClients.join("file", ann);
        LocalClients.join("file", bob);
        LocalClients.join("other file", elsewhere);
        try {
            LocalClients.tell("file", List.of(new Notification.Granted("ann"), new Notification.Broken("bob", "x")));
            assertThat(heard).containsExactlyInAnyOrder("nudge ann", "doubt bob x");
        } finally {
            LocalClients.leave("file", ann);
            LocalClients.leave("file", bob);
            LocalClients.leave("other file", elsewhere);
        }
        LocalClients.tell("file", List.of(new Notification.Granted("ann")));
        assertThat(heard).hasSize(2);
    }

    private TxContext transaction() {
        return clock.begin(time.now());
    }

    private static Claim claim(String client) {
        return new Claim(new ClaimId(client, 1), "a", TestClient.LEASE, 0, true);
    }

    private static LocalClients.LocalClient localClient(String name, List<String> heard) {
        return new LocalClients.LocalClient() {
            @Override
            public String client() {
                return name;
            }

            @Override
            public void nudge() {
                heard.add("nudge " + name);
            }

            @Override
            public void doubt(String lock) {
                heard.add("doubt " + name + " " + lock);
            }
        };
    }
}
