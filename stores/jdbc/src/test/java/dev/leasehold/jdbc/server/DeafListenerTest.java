package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.LogLines;
import dev.leasehold.jdbc.DataSourceOf;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.Started;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A listener that no message reaches tries again and again, for days where a leader holds its lock for days. */
class DeafListenerTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    /** A deaf client's messages go nowhere, as if there were a pooler that nobody recognises. */
    private static final class DeafClient implements PostgresListener.Client {
        private final AtomicInteger tries = new AtomicInteger();

        @Override
        public PooledConnection connect() throws SQLException {
            tries.incrementAndGet();
            return PooledConnection.from(
                    ConnectionSource.of(new DataSourceOf(POSTGRES.get().url())), 30_000);
        }

        @Override
        public void notifySelf(String channel, String payload) {}

        @Override
        public void granted() {}

        @Override
        public void broken(String lock) {}

        @Override
        public void told(boolean comesThrough) {}

        @Override
        public boolean isIdle() {
            return false;
        }

        @Override
        public boolean isStarved() {
            return false;
        }
    }

    @Test
    void itSaysOnceThatItHearsNothing() {
        DeafClient client = new DeafClient();
        PostgresListener listener = new PostgresListener("deaf", () -> "channel", client);
        try (LogLines log = new LogLines("dev.leasehold.jdbc", Level.INFO)) {
            listener.want();
            await().until(() -> client.tries.get() >= 4);
            assertThat(log.lines)
                    .filteredOn(line -> line.contains("do not come"))
                    .hasSize(1);
        } finally {
            listener.close();
        }
    }
}
