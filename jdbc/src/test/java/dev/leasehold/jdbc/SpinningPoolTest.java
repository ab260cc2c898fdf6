package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.Started;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whose sockets the drivers of our own pools read from, on real servers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpinningPoolTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @TempDir
    private static Path dir;

    /** How often a thread that may spin looks, in one statement on a connection of our own pool. */
    private static int looks(String url, boolean spin, String statement, String expected) throws SQLException {
        AtomicInteger looks = new AtomicInteger();
        OwnPool pool = new OwnPool(url, null, spin, 1, Duration.ofSeconds(10));
        try (Connection connection = pool.get();
                Statement asking = connection.createStatement()) {
            SpinSockets.spinning(there -> looks.incrementAndGet(), () -> {
                try (ResultSet answer = asking.executeQuery(statement)) {
                    assertThat(answer.next()).isTrue();
                    assertThat(answer.getString(1)).isEqualTo(expected);
                    return null;
                }
            });
        } finally {
            pool.close();
        }
        return looks.get();
    }

    @Test
    void bothDriversTakeOurSockets() throws SQLException {
        assertThat(looks(POSTGRES.get().url(), true, "SELECT 1", "1")).isPositive();
        assertThat(looks(MARIADB.get().url(), true, "SELECT 1", "1")).isPositive();
    }

    @Test
    void plainSocketsWhereTheUrlSaysSo() throws SQLException {
        assertThat(looks(POSTGRES.get().url(), false, "SELECT 1", "1")).isZero();
        assertThat(looks(MARIADB.get().url(), false, "SELECT 1", "1")).isZero();
    }

    @Test
    void theUsersFactoryStays() throws SQLException {
        for (String url : List.of(POSTGRES.get().url(), MARIADB.get().url())) {
            int before = Own.MADE.get();
            assertThat(looks(url + "&socketFactory=" + Own.class.getName(), true, "SELECT 1", "1"))
                    .isZero();
            assertThat(Own.MADE).hasValueGreaterThan(before);
        }
    }

    /** A user's factory. */
    public static final class Own extends SocketFactory {
        static final AtomicInteger MADE = new AtomicInteger();

        @Override
        public Socket createSocket() {
            MADE.incrementAndGet();
            return new Socket();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aUnixSocketOfTheUsersStays() throws SQLException {
        String path;
        try (Connection connection = DriverManager.getConnection(MARIADB.get().url());
                Statement asking = connection.createStatement();
                ResultSet answer = asking.executeQuery("SELECT @@socket")) {
            answer.next();
            path = answer.getString(1);
        }
        String where = "SELECT SUBSTRING_INDEX(host, ':', 1) FROM information_schema.processlist"
                + " WHERE id = CONNECTION_ID()";
        assertThat(looks(MARIADB.get().url() + "&localSocket=" + path, true, where, "localhost"))
                .isZero();
    }

    @Test
    void tlsReadsFromOurSockets() throws Exception {
        makeCertificate();
        try (Connection connection = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET ssl = on");
            statement.execute("SELECT pg_reload_conf()");
        }
        String url = POSTGRES.get().url() + "&sslmode=require";
        await().ignoreExceptions().until(() -> {
            DriverManager.getConnection(url).close();
            return true;
        });
        String secured = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        assertThat(looks(url, true, secured, "true")).isPositive();
        assertThat(looks(url, false, secured, "true")).isZero();
        try (Leasehold client = Leasehold.connect(url)) {
            for (int i = 0; i < 50; i++) {
                client.lock("tls").acquire().close();
            }
        }
    }

    private static void makeCertificate() throws Exception {
        Path store = dir.resolve("server.p12");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-alias",
                "server",
                "-storetype",
                "PKCS12",
                "-storepass",
                "secret",
                "-keystore",
                store.toString());
        assertThat(new ProcessBuilder(command).redirectErrorStream(true).start().waitFor())
                .isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        Path data;
        try (Connection connection = DriverManager.getConnection(POSTGRES.get().url());
                Statement asking = connection.createStatement();
                ResultSet answer = asking.executeQuery("SHOW data_directory")) {
            answer.next();
            data = Path.of(answer.getString(1));
        }
        pem(
                data.resolve("server.key"),
                "PRIVATE KEY",
                keys.getKey("server", "secret".toCharArray()).getEncoded());
        pem(
                data.resolve("server.crt"),
                "CERTIFICATE",
                keys.getCertificate("server").getEncoded());
    }

    private static void pem(Path file, String what, byte[] content) throws Exception {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
        Files.setPosixFilePermissions(file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    }
}
