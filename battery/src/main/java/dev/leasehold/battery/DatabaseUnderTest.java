package dev.leasehold.battery;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.FaultProxy;
import java.util.List;

/** A database server with locks in tables, which keeps what it has committed. */
final class DatabaseUnderTest implements StoreUnderTest {

    /** What the battery needs of a server. */
    private record Server(int port, String url, Signals signals, Runnable kill, Runnable restart, Runnable close) {}

    private interface Signals {
        void send(String name);
    }

    private final Server server;

    private DatabaseUnderTest(Server server) {
        this.server = server;
    }

    static StoreUnderTest postgres() {
        PostgresServer postgres = PostgresServer.start();
        return new DatabaseUnderTest(new Server(
                postgres.port(), postgres.url(), postgres::signal, postgres::kill, postgres::restart, postgres::close));
    }

    static StoreUnderTest mariaDb() {
        MariaDbServer maria = MariaDbServer.start();
        return new DatabaseUnderTest(
                new Server(maria.port(), maria.url(), maria::signal, maria::kill, maria::restart, maria::close));
    }

    @Override
    public Way way() {
        FaultProxy proxy = FaultProxy.to(server.port());
        return new Way(server.url().replace(":" + server.port() + "/", ":" + proxy.port() + "/"), List.of(proxy));
    }

    @Override
    public String uri() {
        return server.url();
    }

    @Override
    public int servers() {
        return 1;
    }

    @Override
    public void signal(int index, String signal) {
        server.signals().send(signal);
    }

    @Override
    public void kill(int index) {
        server.kill().run();
    }

    @Override
    public void restart(int index, boolean withData) {
        if (!withData) {
            throw new UnsupportedOperationException("databases keep their data here");
        }
        server.restart().run();
    }

    @Override
    public void flush(int index) {
        throw new UnsupportedOperationException("databases keep their data here");
    }

    @Override
    public int overtaking() {
        return 16;
    }

    @Override
    public void close() {
        server.close().run();
    }
}
