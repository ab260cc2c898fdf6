package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rows of a shared lock owe something to those who look at one; its waiters hear of several grants at once. */
@Tag("slow")
class SharedRowsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration BRIEF = Duration.ofSeconds(1);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<RealTime> TIME = new Started<>(RealTime::new);

    @TempDir
    static Path directory;

    enum Server {
        SQLITE,
        H2,
        POSTGRESQL,
        MARIADB;

        String url() {
            return switch (this) {
                case SQLITE -> "sqlite:" + directory.resolve("locks.db");
                case H2 -> "jdbc:h2:mem:shared;DB_CLOSE_DELAY=-1";
                case POSTGRESQL -> POSTGRES.get().url();
                case MARIADB -> SharedRowsTest.MARIADB.get().url();
            };
        }

        StoreFactory factory() {
            StoreUri uri = StoreUri.parse(url());
            return this == SQLITE ? new SqliteStoreProvider().create(uri) : new JdbcStoreProvider().create(uri);
        }

        Connection connect() throws SQLException {
            return DriverManager.getConnection(this == SQLITE ? "jdbc:" + url() : url());
        }

        String quoted(String table) {
            return this == MARIADB ? '`' + table + '`' : '"' + table + '"';
        }
    }

    private final String lock = "lock-" + UUID.randomUUID();
    private final List<SharedClient> clients = new ArrayList<>();

    private SharedClient client(Server server) {
        SharedClient client = new SharedClient(server.factory(), TIME.get());
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(client -> client.store.close());
    }

    private void aWriterIsKeptOut(Server server) {
        Claim writer = new Claim(new ClaimId("writer", 1), lock, LONG, 0, false);
        assertThat(client(server).ask(writer)).isInstanceOf(ClaimAnswer.Busy.class);
    }

    private static void pass(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    /** Nobody asks again here; the signals come by looking, or by a message. */
    @ParameterizedTest
    @EnumSource
    void allWhoAreLetInTogetherHearOfIt(Server server) throws Exception {
        SharedClient holder = client(server);
        LeaseId mutex = holder.acquire(lock, Claim.EXCLUSIVE, LONG).lease();
        SharedClient one = client(server);
        SharedClient two = client(server);
        List<Claim> ones = List.of(one.claim(lock, 4, LONG), one.claim(lock, 4, LONG));
        Claim twos = two.claim(lock, Claim.UNLIMITED, LONG);
        ones.forEach(one::ask);
        two.ask(twos);
        holder.release(mutex);
        List<Grant> heard = List.of(one.nextGrant(), one.nextGrant());
        assertThat(heard)
                .extracting(grant -> grant.lease().claim())
                .containsExactlyInAnyOrder(ones.get(0).id(), ones.get(1).id());
        assertThat(heard).extracting(Grant::slot).containsExactlyInAnyOrder(0, 1);
        assertThat(heard).extracting(Grant::share).containsOnly(4);
        Grant reader = two.nextGrant();
        assertThat(reader.lease().claim()).isEqualTo(twos.id());
        assertThat(reader.share()).isEqualTo(Claim.UNLIMITED);
        assertThat(((ClaimAnswer.Granted) one.ask(ones.get(0))).lease())
                .isEqualTo(heard.stream()
                        .map(Grant::lease)
                        .filter(lease -> lease.claim().equals(ones.get(0).id()))
                        .findFirst()
                        .orElseThrow());
    }

    /** A mutex is granted by one statement, which looks at the lock's row alone. */
    @ParameterizedTest
    @EnumSource
    void aRenewedReaderKeepsWritersOut(Server server) throws Exception {
        SharedClient reader = client(server);
        LeaseId lease;
        do { // On a busy machine it may be over before.
            lease = reader.acquire(lock, Claim.UNLIMITED, BRIEF).lease();
        } while (TestClient.get(reader.store.renew(lease, LONG)) instanceof RenewAnswer.Lost);
        pass(BRIEF);
        aWriterIsKeptOut(server);
    }

    @ParameterizedTest
    @EnumSource
    void aKeptReaderKeepsWritersOut(Server server) throws Exception {
        SharedClient reader = client(server);
        LeaseId lease;
        do {
            lease = reader.acquire(lock, Claim.UNLIMITED, BRIEF).lease();
        } while (TestClient.get(reader.store.release(lease, LONG)) == ReleaseAnswer.NOT_HELD);
        pass(BRIEF);
        aWriterIsKeptOut(server);
    }

    /** The row's end is never brought forward while a holder is left. */
    @ParameterizedTest
    @EnumSource
    void aShortRenewalBesideALongLeaseLetsNoWriterIn(Server server) throws Exception {
        SharedClient reader = client(server);
        reader.acquire(lock, Claim.UNLIMITED, LONG);
        LeaseId brief = reader.acquire(lock, Claim.UNLIMITED, SHORT).lease();
        TestClient.get(reader.store.renew(brief, SHORT));
        TestClient.get(reader.store.release(brief, SHORT));
        pass(SHORT.multipliedBy(2));
        aWriterIsKeptOut(server);
    }

    /** A client that holds a file's lock looks once per second whether it is still there. */
    @Test
    void onlyABrokenShareIsDoubted() throws Exception {
        SharedClient holder = client(Server.SQLITE);
        LeaseId one = holder.acquire(lock, 2, LONG).lease();
        LeaseId two = holder.acquire(lock, 2, LONG).lease();
        try (Connection connection = Server.SQLITE.connect();
                Statement statement = connection.createStatement()) {
            // Not through a client of this process, which would say so.
            statement.execute("UPDATE leasehold_lock SET handed = 0");
            assertThat(holder.doubts.poll(2_500, TimeUnit.MILLISECONDS)).isNull();
            statement.execute("DELETE FROM leasehold_holder WHERE token = " + one.token());
            assertThat(holder.doubts.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(lock);
            assertThat(TestClient.get(holder.store.renew(two, LONG))).isInstanceOf(RenewAnswer.Renewed.class);
        }
    }

    /** The holder learns of it before its next renewal: by a message of the server, where there are messages. */
    @ParameterizedTest
    @EnumSource
    void aBrokenReaderHearsOfItAlone(Server server) throws Exception {
        SharedClient holder = client(server);
        SharedClient other = client(server);
        LeaseId broken = holder.acquire(lock, Claim.UNLIMITED, LONG).lease();
        other.acquire(lock, Claim.UNLIMITED, LONG);
        assertThat(TestClient.get(client(server).store.breakLease(lock, broken.token())))
                .isTrue();
        assertThat(holder.doubts.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(lock);
        assertThat(other.doubts).isEmpty();
    }

    /** SQLite removes the dead whenever it looks at a lock; these are of no holder that it has seen. */
    @Test
    void aFilesStrayRowsAreNoHolders() throws Exception {
        SharedClient client = client(Server.SQLITE);
        LeaseId mutex = client.acquire(lock, Claim.EXCLUSIVE, LONG).lease();
        try (Connection connection = Server.SQLITE.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO leasehold_holder (lock, token, owner, run_end, share, slot, since, boot, ends,"
                            + " span, handed) SELECT id, 1, '', 1, 2, 0, 0, boot, ends + 600000000, 600000000, 0"
                            + " FROM leasehold_lock WHERE name = '" + lock + "'");
        }
        client.release(mutex);
        assertThat(client.acquire(lock, 2, LONG).slot()).isZero();
        assertThat(client.acquire(lock, 2, LONG).slot()).isEqualTo(1);
    }

    /** Those who run out leave rows behind, over which a mutex comes; whatever these say, they are gone. */
    @ParameterizedTest
    @EnumSource
    void holdersBeforeAMutexAreNotBroughtBack(Server server) throws Exception {
        SharedClient client = client(server);
        client.acquire(lock, 2, SHORT);
        client.acquire(lock, 2, SHORT);
        pass(SHORT.multipliedBy(2));
        LeaseId mutex = client.acquire(lock, Claim.EXCLUSIVE, LONG).lease();
        assertThat(holders(client)).hasSize(1);
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            // As if the clock had been set back.
            statement.execute("UPDATE " + server.quoted("leasehold_holder") + " SET ends = ends + 600000000");
        }
        client.release(mutex);
        client.acquire(lock, 2, LONG);
        assertThat(client.acquire(lock, 2, LONG).slot()).isEqualTo(1);
    }

    /** A lock that is released leaves no row but its own. */
    @ParameterizedTest
    @EnumSource
    void nobodysRowsAreLeft(Server server) throws Exception {
        SharedClient client = client(server);
        LeaseId mutex = client.acquire(lock, Claim.EXCLUSIVE, LONG).lease();
        long before = rows(server);
        client.release(mutex);
        assertThat(rows(server)).as("a mutex was in the lock's row").isEqualTo(before);
        LeaseId one = client.acquire(lock, 3, LONG).lease();
        client.acquire(lock, 3, SHORT);
        LeaseId kept = client.acquire(lock, 3, LONG).lease();
        assertThat(rows(server)).isEqualTo(before + 3);
        TestClient.get(client.store.release(kept, SHORT));
        client.release(one);
        pass(SHORT.multipliedBy(2));
        client.release(client.acquire(lock, Claim.UNLIMITED, LONG).lease());
        assertThat(rows(server)).isEqualTo(before);
        assertThat(number(server, "leasehold_lock", " WHERE client IS NULL AND name = '" + lock + "'"))
                .as("the row says that it is free, so that a mutex needs no second look")
                .isEqualTo(1);
        assertThat(client.ask(new Claim(new ClaimId(client.id, 99), lock, LONG, 0, false)))
                .isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** A request that is sent once more, since its answer was lost, may have been made with other wishes; the first counts. */
    @ParameterizedTest
    @EnumSource
    void aRepetitionHasTheShareOfTheFirst(Server server) throws Exception {
        SharedClient client = client(server);
        Claim granted = client.claim(lock, 3, LONG);
        ClaimAnswer.Granted first = (ClaimAnswer.Granted) client.ask(granted);
        for (int share : new int[] {Claim.EXCLUSIVE, 2, Claim.UNLIMITED}) {
            ClaimAnswer.Granted again = (ClaimAnswer.Granted) client.ask(with(granted, share));
            assertThat(again.lease()).isEqualTo(first.lease());
            assertThat(again.slot()).isEqualTo(first.slot());
        }
        LeaseId brief = client.acquire(lock, 3, Duration.ofSeconds(20)).lease();
        Claim waiting = client.claim(lock, 2, LONG);
        client.ask(waiting);
        Duration left = ((ClaimAnswer.Busy) client.ask(with(waiting, Claim.EXCLUSIVE))).timeLeft();
        // Bound: the other has 60 s. Both are numbers of the store, of which time only takes.
        assertThat(left).as("it waits for the first of two").isLessThan(Duration.ofSeconds(21));
        client.ask(with(waiting, Claim.UNLIMITED));
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            // Nobody hands over: it comes in by asking.
            statement.execute("UPDATE " + server.quoted("leasehold_holder")
                    + " SET ends = ends - 3600000000 WHERE token = " + brief.token());
        }
        assertThat(((ClaimAnswer.Granted) client.ask(with(waiting, Claim.UNLIMITED))).slot())
                .isEqualTo(1);
        assertThat(holders(client)).extracting(HolderInfo::share).containsExactly(3, 2);
    }

    private List<HolderInfo> holders(SharedClient client) {
        return TestClient.get(client.store.inspect(NamePattern.of(lock))).get(0).holders();
    }

    private static Claim with(Claim claim, int share) {
        return new Claim(claim.id(), claim.lock(), share, claim.lease(), claim.enqueue());
    }

    /** The dead of a lock that goes because nobody has used it for two days go with it; those of a lock in use stay. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void theDeadGoWithTheirLocksRow(Server server) throws Exception {
        SharedClient client = client(server);
        String used = lock + "-used";
        client.acquire(lock, 2, SHORT);
        client.acquire(lock, 2, SHORT);
        LeaseId alive = client.acquire(used, 2, LONG).lease();
        String week = Long.toString(TimeUnit.DAYS.toMicros(8));
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String table : List.of("leasehold_lock", "leasehold_holder")) {
                String quoted = server.quoted(table);
                statement.execute("UPDATE " + quoted + " SET token = token - " + week + ", run_end = run_end - " + week
                        + " WHERE name LIKE '" + lock + "%'");
                statement.execute("UPDATE " + quoted + " SET ends = ends - " + week + " WHERE name = '" + lock + "'");
            }
            statement.execute("UPDATE " + server.quoted("leasehold_lock") + " SET last = last - " + week
                    + " WHERE name LIKE '" + lock + "%'");
        }
        String left = " WHERE name = '" + lock + "'";
        for (int i = 0; number(server, "leasehold_lock", left) > 0; i++) {
            client.release(client.acquire(lock + "-" + i, Claim.EXCLUSIVE, LONG).lease());
        }
        await().alias("a statement of its own, after that for the lock's row")
                .until(() -> number(server, "leasehold_holder", left) == 0);
        LeaseId moved = new LeaseId(used, alive.claim(), alive.token() - Long.parseLong(week));
        assertThat(TestClient.get(client.store.renew(moved, LONG))).isInstanceOf(RenewAnswer.Renewed.class);
    }

    private static long rows(Server server) throws SQLException {
        return number(server, "leasehold_holder", "");
    }

    private static long number(Server server, String table, String which) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM " + server.quoted(table) + which)) {
            count.next();
            return count.getLong(1);
        }
    }

    private SharedClient session() {
        StoreUri uri = StoreUri.parse(POSTGRES.get().url() + SessionServer.OPTION);
        SharedClient client = new SharedClient(new JdbcStoreProvider().create(uri), TIME.get());
        clients.add(client);
        return client;
    }

    @Test
    void sessionLocksSayWhyTheyAreNotShared() {
        SharedClient client = session();
        assertThat(client.store.sharing().includes(2)).isFalse();
        assertThat(client.store.sharing().includes(Claim.UNLIMITED)).isFalse();
        assertThat(client.store.sharing().whyNotAll()).contains("sessionLocks", "queue");
        LeaseId mutex =
                client.acquire(lock, Claim.EXCLUSIVE, Duration.ofSeconds(3)).lease();
        assertThatThrownBy(() -> TestClient.get(client.store.downgrade(mutex, LONG)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("sessionLocks");
    }

    /** Clients of both kinds may use the same tables. */
    @Test
    void aSessionHandsOverToThoseWhoShare() throws Exception {
        SharedClient session = session();
        LeaseId mutex = session.acquire(lock, Claim.EXCLUSIVE, LONG).lease();
        SharedClient tables = client(Server.POSTGRESQL);
        Claim one = tables.claim(lock, Claim.UNLIMITED, LONG);
        Claim two = tables.claim(lock, Claim.UNLIMITED, LONG);
        assertThat(tables.ask(one)).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(tables.ask(two)).isInstanceOf(ClaimAnswer.Busy.class);
        Claim next = session.claim(lock, Claim.EXCLUSIVE, Duration.ofSeconds(10));
        assertThat(session.ask(next)).isInstanceOf(ClaimAnswer.Busy.class);
        session.release(mutex);
        assertThat(tables.nextGrant()).isNotNull();
        assertThat(tables.nextGrant()).isNotNull();
        LeaseId second = ((ClaimAnswer.Granted) tables.ask(two)).lease();
        assertThat(session.ask(next)).isInstanceOf(ClaimAnswer.Busy.class);
        tables.release(((ClaimAnswer.Granted) tables.ask(one)).lease());
        assertThat(TestClient.get(session.store.breakLease(lock, second.token())))
                .isTrue();
        assertThat(session.ask(next)).isInstanceOf(ClaimAnswer.Granted.class);
    }
}
