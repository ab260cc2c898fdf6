package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.jdbc.server.Notifier;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * These tests show what a hand-over between processes costs on PostgreSQL, in statements. The two clients name the database
 * differently, so that they do not know that they are neighbours, and only its messages tell one of the other.
 */
@Tag("slow")
class PostgresHandOverTest {

    /** So long that a waiter asks by itself every 5 s only. */
    private static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5));

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void aHandOverIsOneMessageAndOneLook() throws Exception {
        try (StatementLog ours = new StatementLog(POSTGRES.get().url() + "&ApplicationName=one");
                StatementLog theirs = new StatementLog(POSTGRES.get().url() + "&ApplicationName=two");
                Leasehold one = client(ours);
                Leasehold two = client(theirs)) {
            List<List<String>> releases = new ArrayList<>();
            List<List<String>> looks = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Lease held = one.lock(name, LONG).acquire();
                CompletableFuture<Lease> waiting = two.lock(name, LONG).acquireAsync();
                await().until(() -> one.locks(name).get(0).waiters().size() == 1);
                await() // Until it relies on messages, and has no question under way.
                        .during(Duration.ofMillis(300))
                        .until(() -> theirs.drain().isEmpty());
                ours.drain();
                held.release();
                releases.add(ours.drain());
                Lease next = waiting.get(A_MINUTE, TimeUnit.SECONDS);
                looks.add(theirs.drain());
                next.release();
            }
            // Now and then a question of a waiter's, every 5 s, falls into the very moment.
            assertThat(looks.stream().filter(PostgresHandOverTest::isOneLook).count())
                    .as("hand-overs that took one look, of %s", looks)
                    .isGreaterThanOrEqualTo(5);
            assertThat(releases).allSatisfy(release -> assertThat(release).hasSize(7));
        }
    }

    /** Each of them may rely on messages, so each gets one. */
    @Test
    void allWhoAreLetInTogetherAreTold() throws Exception {
        StoreFactory factory =
                new JdbcStoreProvider().create(StoreUri.parse(POSTGRES.get().url()));
        try (RealTime time = new RealTime();
                Connection listening =
                        DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = listening.createStatement()) {
            List<SharedClient> clients = List.of(
                    new SharedClient(factory, time), new SharedClient(factory, time), new SharedClient(factory, time));
            LeaseId mutex = clients.get(0)
                    .acquire(name, Claim.EXCLUSIVE, Duration.ofMinutes(1))
                    .lease();
            Set<String> readers = new HashSet<>();
            for (SharedClient reader : clients.subList(1, 3)) {
                reader.ask(reader.claim(name, Claim.UNLIMITED, Duration.ofMinutes(1)));
                readers.add(Notifier.channel(reader.id));
                statement.execute("LISTEN \"" + Notifier.channel(reader.id) + '"');
            }
            clients.get(0).release(mutex);
            Set<String> told = new HashSet<>();
            await().untilAsserted(() -> {
                for (PGNotification each : listening.unwrap(PGConnection.class).getNotifications(1)) {
                    if (each.getParameter().equals("granted")) {
                        told.add(each.getName());
                    }
                }
                assertThat(told).isEqualTo(readers);
            });
            clients.forEach(client -> client.store.close());
        }
    }

    private static Leasehold client(StatementLog log) {
        return Leasehold.builder().store(JdbcStore.using(log.dataSource())).build();
    }

    /** Perhaps followed by the confirmation, which is due within 20 ms. */
    private static boolean isOneLook(List<String> sent) {
        return !sent.isEmpty()
                && sent.get(0).startsWith("SELECT l.name")
                && sent.stream().noneMatch(statement -> statement.contains("turns"))
                && sent.size() <= 2;
    }
}
