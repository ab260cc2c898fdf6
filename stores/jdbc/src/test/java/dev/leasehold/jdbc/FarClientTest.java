package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.jdbc.Question.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A client whose messages are slow costs nobody else a lease, because no transaction of its waits for them: see {@code
 * WaitingPath}. The moments at which it is looked for are those in which an answer is on its way for as long as the look
 * takes.
 */
@Tag("slow")
class FarClientTest {

    private static final int MOMENTS = 40;

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void aFarClientKeepsNoRowMeanwhileOnPostgres() throws Exception {
        keepsNoRowMeanwhile(
                POSTGRES.get().port(),
                POSTGRES.get().url(),
                POSTGRES.get().url() + "&ApplicationName=far",
                "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'far' AND state LIKE 'idle in trans%'");
    }

    @Test
    void aFarClientKeepsNoRowMeanwhileOnMariaDb() throws Exception {
        try (Connection admin = DriverManager.getConnection(MARIADB.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE USER far");
            statement.execute("GRANT ALL ON test.* TO far");
        }
        keepsNoRowMeanwhile(
                MARIADB.get().port(),
                MARIADB.get().url(),
                MARIADB.get().url().replace("user=root", "user=far"),
                "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p"
                        + " ON p.id = t.trx_mysql_thread_id WHERE p.user = 'far' AND t.trx_query IS NULL");
    }

    private record Pair(DistributedLock near, DistributedLock far) {}

    private void keepsNoRowMeanwhile(int port, String url, String farUrl, String open) throws Exception {
        try (FaultProxy slow = FaultProxy.to(port);
                Connection admin = DriverManager.getConnection(url);
                Leasehold near = Leasehold.connect(url);
                Leasehold far = Leasehold.connect(farUrl.replace(":" + port, ":" + slow.port()))) {
            List<Pair> pairs = List.of(
                    new Pair(near.lock("1" + name), far.lock("1" + name)),
                    new Pair(reader(near, "2"), writer(far, "2")),
                    new Pair(writer(near, "3"), reader(far, "3")));
            List<Lease> held = new ArrayList<>();
            for (Pair pair : pairs) {
                pair.far().acquire().close();
                held.add(pair.near().acquire());
            }
            slow.delay(Duration.ofMillis(5));
            // They join, ask again and withdraw, others come meanwhile.
            for (int i = 0, seen = 0; seen < MOMENTS; i++) {
                Pair pair = pairs.get(i % pairs.size());
                CompletableFuture<?> visit = visit(pair.far());
                slow.hold(FaultProxy.Way.ANSWERS);
                // On a busy machine the visit may be over before its answers are held.
                await().pollInterval(Duration.ofMillis(5)).until(() -> slow.holding() > 0 || visit.isDone());
                if (slow.holding() > 0) {
                    seen++;
                    // MariaDB shows transactions as they were at a look less than 100 ms before.
                    Thread.sleep(110);
                    assertThat(number(admin, open))
                            .as("transactions that wait for the far client")
                            .isZero();
                }
                slow.letGo();
                if (i % 4 == 3) {
                    await().until(visit::isDone);
                }
            }
            held.forEach(Lease::close);
        }
    }

    /** The grant of a share and its release are transactions, also of a far client. */
    @Test
    void aReaderIsRenewedWhileTheLocksRowIsLocked() throws Exception {
        for (String url : List.of(POSTGRES.get().url(), MARIADB.get().url())) {
            try (Leasehold near = Leasehold.connect(url);
                    Lease held = reader(near, "4").acquire();
                    Connection far = DriverManager.getConnection(url)) {
                far.setAutoCommit(false);
                number(far, "SELECT 1 FROM leasehold_lock WHERE name = '4" + name + "' FOR UPDATE");
                assertThat(held.extend(Duration.ofMinutes(2))).isGreaterThan(Duration.ofMinutes(1));
                far.rollback();
            }
        }
    }

    private DistributedLock reader(Leasehold client, String which) {
        return client.readWriteLock(which + name).read();
    }

    private DistributedLock writer(Leasehold client, String which) {
        return client.readWriteLock(which + name).write();
    }

    private static CompletableFuture<?> visit(DistributedLock lock) {
        return lock.tryAcquireAsync(Duration.ofMillis(100)).thenAccept(got -> got.ifPresent(Lease::releaseAsync));
    }
}
