package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.architecture.LogLines;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A pooler sends reads outside of transactions to a replica that has not received what was written: here to another table, with
 * nobody in the queue.
 */
@Tag("slow")
class ReadsElsewhereTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private volatile boolean lagging = true;

    private volatile String locksSeen = "leasehold_lock";

    private String url = "";

    private final AtomicInteger looks = new AtomicInteger();

    private final AtomicInteger messages = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "MariaDB"})
    void aClaimJoinsOnceAndTheCauseIsNamed(String database) throws Exception {
        url = database.equals("MariaDB") ? MARIADB.get().url() : POSTGRES.get().url();
        try (LogLines log = new LogLines("dev.leasehold.jdbc", Level.WARNING);
                Leasehold holder = Leasehold.connect(url);
                RealTime time = new RealTime();
                Connection admin = DriverManager.getConnection(url);
                Statement statement = admin.createStatement();
                Lease held = holder.lock("a").acquire()) {
            statement.execute("CREATE TABLE IF NOT EXISTS leasehold_waiter_seen (LIKE leasehold_waiter)");
            SharedClient client = new SharedClient(JdbcStore.using(balancing()), time);
            Claim claim = client.claim("a", Claim.EXCLUSIVE, Duration.ofMinutes(1));
            for (int i = 0; i < 5; i++) {
                assertThat(client.ask(claim))
                        .isInstanceOfSatisfying(
                                ClaimAnswer.Busy.class,
                                busy -> assertThat(busy.place()).isEqualTo(1));
            }
            assertThat(waiters(statement)).isEqualTo(1);
            assertThat(log.lines).singleElement().asString().contains("sends reads to another server");
            assertThat(held.isValid()).isTrue();
            TestClient.get(client.store.withdraw("a", claim.id()));
            assertThat(waiters(statement)).isZero();
            client.store.close();
        }
    }

    /** The row of the lock is free there, and has been taken here. */
    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "MariaDB"})
    void aStaleViewKeepsNobodyFromWaiting(String database) throws Exception {
        url = database.equals("MariaDB") ? MARIADB.get().url() : POSTGRES.get().url();
        try (Leasehold holder = Leasehold.connect(url);
                RealTime time = new RealTime();
                Connection admin = DriverManager.getConnection(url);
                Statement statement = admin.createStatement();
                Lease held = holder.lock("b").acquire()) {
            statement.execute("CREATE TABLE IF NOT EXISTS leasehold_waiter_seen (LIKE leasehold_waiter)");
            statement.execute("CREATE TABLE leasehold_lock_seen (LIKE leasehold_lock"
                    + (database.equals("MariaDB") ? ")" : " INCLUDING DEFAULTS)"));
            statement.execute("INSERT INTO leasehold_lock_seen (namespace, name) VALUES ('', 'b')");
            locksSeen = "leasehold_lock_seen";
            SharedClient client = new SharedClient(JdbcStore.using(balancing()), time);
            Claim claim = client.claim("b", Claim.EXCLUSIVE, Duration.ofMinutes(1));
            assertThat(client.ask(claim))
                    .isInstanceOfSatisfying(
                            ClaimAnswer.Busy.class,
                            busy -> assertThat(busy.place()).isEqualTo(1));
            assertThat(held.isValid()).isTrue();
            client.store.close();
            statement.execute("DELETE FROM leasehold_waiter");
            statement.execute("DROP TABLE leasehold_lock_seen");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PostgreSQL", "MariaDB"})
    void aClaimThatIsLostSightOfHasOneRow(String database) throws Exception {
        url = database.equals("MariaDB") ? MARIADB.get().url() : POSTGRES.get().url();
        try (Leasehold holder = Leasehold.connect(url);
                RealTime time = new RealTime();
                Connection admin = DriverManager.getConnection(url);
                Statement statement = admin.createStatement();
                Lease held = holder.lock("c").acquire()) {
            statement.execute("CREATE TABLE IF NOT EXISTS leasehold_waiter_seen (LIKE leasehold_waiter)");
            SharedClient client = new SharedClient(JdbcStore.using(balancing()), time);
            Claim claim = client.claim("c", Claim.EXCLUSIVE, Duration.ofMinutes(1));
            lagging = false;
            client.ask(claim);
            lagging = true;
            client.ask(claim);
            assertThat(waiters(statement)).isEqualTo(1);
            assertThat(held.isValid()).isTrue();
            client.store.close();
            statement.execute("DELETE FROM leasehold_waiter");
        }
    }

    /** Told of a grant, it looked at a server that had not received it, and then not again before it asked anew. */
    @Test
    void whoIsReadElsewherePollsFromThenOn() throws Exception {
        url = POSTGRES.get().url();
        lagging = false;
        try (Leasehold holder = Leasehold.connect(url);
                RealTime time = new RealTime();
                Connection admin = DriverManager.getConnection(url);
                Statement statement = admin.createStatement();
                Lease held = holder.lock("d").acquire();
                Lease other = holder.lock("e").acquire()) {
            statement.execute("CREATE TABLE IF NOT EXISTS leasehold_waiter_seen (LIKE leasehold_waiter)");
            SharedClient client = new SharedClient(JdbcStore.using(balancing()), time);
            client.ask(client.claim("d", Claim.EXCLUSIVE, Duration.ofMinutes(1)));
            await().until(() -> messages.get() > 0);
            await().during(Duration.ofSeconds(1)).until(() -> looks.getAndSet(0) == 0);
            lagging = true;
            client.ask(client.claim("e", Claim.EXCLUSIVE, Duration.ofMinutes(1)));
            // A claim that does not ask again is looked for no more when it counts as dead, long before messages are
            // tested again.
            await().until(() -> looks.get() > 2);
            assertThat(held.isValid() && other.isValid()).isTrue();
            client.store.close();
            statement.execute("DELETE FROM leasehold_waiter");
        }
    }

    private static long waiters(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM leasehold_waiter")) {
            row.next();
            return row.getLong(1);
        }
    }

    private DataSource balancing() {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Connection real = DriverManager.getConnection(url);
            return proxy(Connection.class, (connection, called, values) -> {
                if (called.getName().equals("prepareStatement") && real.getAutoCommit()) {
                    values[0] = elsewhere((String) values[0]);
                }
                try {
                    return called.invoke(real, values);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        });
    }

    private String elsewhere(String statement) {
        if (statement.contains("SELECT MIN(m.position)")) {
            looks.incrementAndGet();
        }
        if (statement.contains("pg_notify")) {
            messages.incrementAndGet();
        }
        return lagging && statement.startsWith("SELECT") && !statement.contains("FOR UPDATE")
                ? statement
                        .replaceAll("leasehold_waiter(?=[\"`])", "leasehold_waiter_seen")
                        .replaceAll("leasehold_lock(?=[\"`])", locksSeen)
                : statement;
    }

    private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
