package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.RedisProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** At midnight cron starts many runs at once, and the machine is busy for a while: each of them has its turn. */
class StampedeEndToEnd {

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @Test
    void someRunsThatStartAtOnceHaveTheirTurn() throws Exception {
        allHaveTheirTurn(leasehold.store(), 8);
    }

    /** These keep two processors busy for minutes, and every other test from its turn. */
    @Tag("extended")
    @ParameterizedTest
    @EnumSource
    void allRunsThatStartAtOnceHaveTheirTurn(Kind kind) throws Exception {
        try (Served served = kind.starter.start(dir)) {
            if (kind == Kind.REDLOCK) {
                leasehold
                        .here("quorum", "init", "--yes", "--store", served.uri())
                        .succeeded();
            }
            allHaveTheirTurn(served.uri(), 24);
        }
    }

    private enum Kind {
        SQLITE(dir -> new Served("sqlite:" + dir.resolve("locks.db"), List.of())),
        /** This process serves the file: where the one that serves it ends, 24 others contend for that for half a minute. */
        H2(dir -> {
            String uri = "jdbc:h2:file:" + dir.resolve("locks") + ";WRITE_DELAY=0;AUTO_SERVER=TRUE";
            return new Served(uri, List.of(DriverManager.getConnection(uri)));
        }),
        POSTGRES(dir -> {
            PostgresServer server = PostgresServer.start();
            return new Served(server.url(), List.of(server));
        }),
        MARIADB(dir -> {
            MariaDbServer server = MariaDbServer.start();
            return new Served(server.url(), List.of(server));
        }),
        REDIS(dir -> {
            RedisProcess server = RedisProcess.start();
            return new Served(server.uri(), List.of(server));
        }),
        REDLOCK(dir -> {
            List<RedisProcess> masters = List.of(RedisProcess.start(), RedisProcess.start(), RedisProcess.start());
            String nodes =
                    masters.stream().map(master -> "localhost:" + master.port()).collect(Collectors.joining(","));
            return new Served("redlock://" + nodes + "?leasehold.nodeTimeout=2s", masters);
        }),
        /** With all the time that a server with its usual ticks grants a session: 24 that start keep each other waiting. */
        ZOOKEEPER(dir -> {
            TestingServer server = new TestingServer();
            return new Served(
                    "zookeeper://" + server.getConnectString() + "/it?leasehold.sessionTimeout=60000", List.of(server));
        });

        private final Starter starter;

        Kind(Starter starter) {
            this.starter = starter;
        }
    }

    private interface Starter {
        Served start(Path dir) throws Exception;
    }

    private record Served(String uri, List<? extends AutoCloseable> servers) implements AutoCloseable {

        @Override
        public void close() {
            for (AutoCloseable server : servers) {
                try {
                    server.close();
                } catch (Exception e) {
                    throw new IllegalStateException("a server does not end", e);
                }
            }
        }
    }

    private void allHaveTheirTurn(String store, int count) throws Exception {
        leasehold
                .start(Map.of("LEASEHOLD_STORE", store), List.of("run", "demo", "true"))
                .succeeded();
        List<Program.Run> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(leasehold.start(
                    Map.of("LEASEHOLD_STORE", store), List.of("run", "demo", "sh", "-c", "echo >>turns")));
        }
        for (Program.Run run : runs) {
            run.process().waitFor();
            assertThat(run.err()).isEmpty();
        }
        assertThat(Files.readAllLines(dir.resolve("turns"))).hasSize(count);
    }

    /** A single try waited a minute for a silent store. */
    @Test
    void aTryGivesUpOnASilentStoreSooner() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Program.Run run =
                    leasehold.run("run", "-n", "--store", "redis://127.0.0.1:" + silent.getLocalPort(), "demo", "true");
            assertThat(run.failed(69, "did not answer for").err())
                    .containsPattern("did not answer for [1-4]\\d(\\.\\d+)? s");
        }
    }

    /** What a user has said in the URI counts, and is not said twice. */
    @Test
    void theTimeForTheStoreIsTheUsers() throws Exception {
        String brief = "redis://127.0.0.1:1?leasehold.storeTimeout=300";
        leasehold.here("ls", "--store", brief).failed(69, "no connection could be made");
        leasehold
                .run("run", "--store", "redis://127.0.0.1:1", "--store-timeout", "400ms", "demo", "true")
                .failed(69, "did not answer for");
        leasehold
                .here("run", "--store", brief, "--store-timeout", "1m", "demo", "true")
                .failed(64, "given twice");
        leasehold.here("run", "--store-timeout", "2h", "demo", "true").failed(64, "10 ms to 1 hour");
    }
}
