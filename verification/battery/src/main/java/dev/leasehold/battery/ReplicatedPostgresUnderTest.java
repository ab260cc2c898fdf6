package dev.leasehold.battery;

import dev.leasehold.servers.PostgresReplica;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The replicated PostgreSQL under test has a replica that is behind in the end, and clients that know both. Server 0 is the
 * one that is written at present. When it is killed, what was on its way to the replica is lost, and the replica takes its
 * place.
 */
final class ReplicatedPostgresUnderTest implements StoreUnderTest {

    /** About as far as an asynchronous replica is behind in another data centre, on a bad day. */
    private static final Duration LAG = Duration.ofMillis(300);

    private final PostgresServer first = PostgresServer.start();
    private PostgresReplica primary;
    private FaultProxy stream = FaultProxy.to(first.port());
    private PostgresReplica replica = PostgresReplica.of(first, stream.port());
    private final int[] ports = {first.port(), replica.port()};
    private final String option;

    /** Starts both servers. Clients have a further option in their URLs, or none if that is empty. */
    ReplicatedPostgresUnderTest(String option) {
        this.option = option;
    }

    @Override
    public Way way() {
        return new Way(uri(), List.of()); // The driver finds the server that can be written.
    }

    @Override
    public String uri() {
        return DatabaseUnderTest.withOption(url(), option);
    }

    private String url() {
        return "jdbc:postgresql://127.0.0.1:" + ports[0] + ",127.0.0.1:" + ports[1]
                + "/postgres?user=postgres&targetServerType=primary";
    }

    @Override
    public String version() throws SQLException {
        return Pool.version(url());
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public void signal(int server, String signal) {
        throw new UnsupportedOperationException("it is only killed");
    }

    /**
     * Kills the server that is written. The commits of the last moments are on their way to the replica, and never
     * arrive.
     */
    @Override
    public void kill(int server) throws InterruptedException {
        stream.blackHole();
        Thread.sleep(LAG.toMillis());
        stream.cut();
        stream.close();
        if (primary == null) {
            first.kill();
        } else {
            primary.kill();
        }
    }

    /** Promotes the replica, and starts a new replica at the address of the server that was killed. */
    @Override
    public void restart(int server, boolean withData) {
        replica.promote();
        int free = primary == null ? first.port() : primary.port();
        if (primary != null) {
            primary.close();
        }
        primary = replica;
        stream = FaultProxy.to(primary.port());
        replica = PostgresReplica.of(primary, stream.port(), free);
    }

    @Override
    public void flush(int server) {
        throw new UnsupportedOperationException("it is only killed");
    }

    @Override
    public Map<String, Long> gauges() {
        return Map.of();
    }

    @Override
    public int overtaking() {
        return 16;
    }

    @Override
    public void close() {
        stream.close();
        replica.close();
        if (primary != null) {
            primary.close();
        }
        first.close();
    }
}
