package dev.leasehold.jdbc.connection;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertAll;

import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

/** A database that takes more than a second to let a client in is reachable, as one on a busy machine is. */
@Tag("slow")
class SlowConnectTest {

    /** Each way; until a client is let in, several messages go. */
    private static final Duration SLOW = Duration.ofMillis(600);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @Test
    void postgresIsWaitedFor() throws Exception {
        letsIn(POSTGRES.get().port(), POSTGRES.get().url());
    }

    @Test
    void mariaDbIsWaitedFor() throws Exception {
        letsIn(MARIADB.get().port(), MARIADB.get().url());
    }

    @Test
    void theDriverOfMySqlWaits() throws Exception {
        letsIn(MARIADB.get().port(), MARIADB.get().mysqlUrl());
    }

    /** It accepts connections and says nothing, as a process does that was stopped. Without the limit the driver waited for it for a minute. */
    @Test
    void aSilentFirstHostIsPassedInTime() throws Exception {
        String at = "127.0.0.1:" + POSTGRES.get().port();
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String url = POSTGRES.get()
                    .url()
                    .replaceFirst("//[^/]*/", "//127.0.0.1:" + silent.getLocalPort() + "," + at + "/");
            try (Leasehold client = Leasehold.builder()
                    .uri(url)
                    .storeTimeout(Duration.ofSeconds(A_MINUTE))
                    .build()) {
                client.lock("a").acquire().close();
            }
        }
    }

    /** A pool has one thread that connects: what a router forgot meanwhile, that thread awaited for ever. (Whether there is TLS, PostgreSQL has to say in time.) */
    @Test
    void whatFallsSilentWhileItLetsUsInIsGivenUp() throws Exception {
        Server h2 = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        List<Executable> each = List.of(
                () -> isGivenUp(POSTGRES.get().port(), POSTGRES.get().url() + "&sslmode=disable"),
                () -> isGivenUp(MARIADB.get().port(), MARIADB.get().url()),
                () -> isGivenUp(MARIADB.get().port(), MARIADB.get().mysqlUrl()),
                () -> isGivenUp(h2.getPort(), "jdbc:h2:tcp://127.0.0.1:" + h2.getPort() + "/mem:silent"));
        try {
            assertAll(each.stream().parallel());
        } finally {
            h2.stop();
        }
    }

    private static void isGivenUp(int port, String url) throws SQLException {
        try (FaultProxy proxy = FaultProxy.to(port)) {
            proxy.blackHole();
            String silent = url.replace(":" + port, ":" + proxy.port());
            try (OwnPool pool = new OwnPool(silent, null, 1, Duration.ofSeconds(2))) {
                assertThatThrownBy(pool::get).isInstanceOf(SQLException.class);
                proxy.abandon();
                proxy.letGo();
                await().alias(url).ignoreExceptions().until(() -> {
                    pool.get().close();
                    return true;
                });
            }
        }
    }

    private static void letsIn(int port, String url) throws SQLException {
        try (FaultProxy proxy = FaultProxy.to(port)) {
            proxy.delay(SLOW);
            String slow = url.replace(":" + port, ":" + proxy.port());
            try (OwnPool pool = new OwnPool(slow, null, 1, Duration.ofSeconds(A_MINUTE));
                    Connection connection = pool.get()) {
                assertThat(connection.isValid((int) A_MINUTE)).isTrue();
            }
        }
    }
}
