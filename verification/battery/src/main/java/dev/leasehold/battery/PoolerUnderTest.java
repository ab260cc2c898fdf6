package dev.leasehold.battery;

import dev.leasehold.servers.PgBouncer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A pooler under test is a PgBouncer that lends the sessions of a PostgreSQL per transaction. Server 0 is the pooler, server 1
 * the database. Clients know the pooler only, through a proxy before it.
 */
final class PoolerUnderTest implements StoreUnderTest {

    private final DatabaseUnderTest postgres;
    private final PgBouncer pooler;

    private PoolerUnderTest(DatabaseUnderTest postgres, PgBouncer pooler) {
        this.postgres = postgres;
        this.pooler = pooler;
    }

    /**
     * Starts both.
     *
     * @throws Missing if this machine has no such pooler
     */
    static StoreUnderTest start(Path directory, Fault fault) throws IOException {
        Path program = program(PgBouncer.program().orElse(null));
        DatabaseUnderTest postgres = DatabaseUnderTest.postgres(directory, fault, "");
        try {
            return new PoolerUnderTest(postgres, PgBouncer.start(program, postgres.port()));
        } catch (RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    /** Returns the program that was named, if it can be started. */
    static Path program(Path named) {
        if (named == null || !Files.isExecutable(named)) {
            throw new Missing((named == null ? "no PgBouncer is named" : named + " cannot be executed")
                    + ": Maven Central brings none; name one in " + PgBouncer.VARIABLE
                    + ", see verification/battery/debian-servers");
        }
        return named;
    }

    @Override
    public Way way() {
        FaultProxy proxy = FaultProxy.to(pooler.port());
        return new Way(PostgresServer.url(proxy.port()), List.of(proxy));
    }

    @Override
    public String uri() {
        return pooler.url();
    }

    @Override
    public String version() throws IOException, SQLException {
        return pooler.version() + " before PostgreSQL " + postgres.version();
    }

    @Override
    public int servers() {
        return 2;
    }

    @Override
    public void signal(int server, String signal) {
        if (server == 0) {
            pooler.signal(signal);
        } else {
            postgres.signal(0, signal);
        }
    }

    @Override
    public void kill(int server) {
        if (server == 0) {
            pooler.kill();
        } else {
            postgres.kill(0);
        }
    }

    @Override
    public void restart(int server, boolean withData) throws SQLException {
        if (server == 0) {
            pooler.restart(); // It has no data.
        } else {
            postgres.restart(0, withData);
        }
    }

    @Override
    public void flush(int server) throws SQLException {
        postgres.flush(0);
    }

    @Override
    public void killSessions(int server) throws IOException, SQLException {
        if (server == 0) {
            pooler.killSessions();
        } else {
            postgres.killSessions(0);
        }
    }

    /** Returns the gauges of both. Connections are those of clients: how many sessions it lends is the pooler's affair. */
    @Override
    public Map<String, Long> gauges() throws IOException, SQLException {
        Map<String, Long> gauges = new LinkedHashMap<>(postgres.gauges());
        gauges.put("connections", pooler.clients());
        return gauges;
    }

    @Override
    public int overtaking() {
        return postgres.overtaking();
    }

    @Override
    public void close() {
        pooler.close();
        postgres.close();
    }
}
