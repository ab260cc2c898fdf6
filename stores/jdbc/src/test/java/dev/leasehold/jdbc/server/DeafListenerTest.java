package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.LogLines;
import dev.leasehold.jdbc.DataSourceOf;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A listener that no message reaches tries again and again, for days where a leader holds its lock for days. */
@Tag("slow")
class DeafListenerTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Test
    void itSaysOnceThatItHearsNothing() {
        AtomicInteger tries = new AtomicInteger();
        SilentClient client = () -> {
            tries.incrementAndGet();
            return PooledConnection.from(
                    ConnectionSource.of(new DataSourceOf(POSTGRES.get().url())), 30_000);
        };
        PostgresListener listener = new PostgresListener("deaf", () -> "channel", client);
        try (LogLines log = new LogLines("dev.leasehold.jdbc", Level.INFO)) {
            listener.want();
            await().until(() -> tries.get() >= 4);
            assertThat(log.lines)
                    .filteredOn(line -> line.contains("do not come"))
                    .hasSize(1);
        } finally {
            listener.close();
        }
    }

    /** A router has forgotten the connection. For as long as the question on it waited, nobody polled. */
    @Test
    void waitersPollBeforeADeadConnectionIsAskedAgain() {
        AtomicBoolean polled = new AtomicBoolean();
        try (FaultProxy proxy = FaultProxy.to(POSTGRES.get().port())) {
            SilentClient client = new SilentClient() {
                @Override
                public PooledConnection connect() throws SQLException {
                    return PooledConnection.from(
                            ConnectionSource.of(new DataSourceOf(PostgresServer.url(proxy.port()))),
                            Math.toIntExact(Duration.ofMinutes(5).toMillis()));
                }

                @Override
                public void notifySelf(String channel, String payload) {
                    proxy.abandon();
                }

                @Override
                public void told(boolean comesThrough) {
                    polled.set(!comesThrough);
                }
            };
            PostgresListener listener = new PostgresListener("dead", () -> "channel", client);
            listener.want();
            await().untilTrue(polled);
            listener.close();
        }
    }
}
