package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.servers.Ports;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * These tests are about a server that speaks TLS only. It is a process of its own: a server reads its settings where clients
 * would see them.
 */
@Tag("slow")
class TlsTest {

    private static final Path BIN = Path.of(System.getProperty("java.home"), "bin");

    private static final char[] PASSWORD = "secret".toCharArray();

    @TempDir
    static Path dir;

    private static Process server;
    private static int port;

    @BeforeAll
    static void startServer() throws Exception {
        keytool("-genkeypair -keyalg RSA -dname CN=localhost -ext san=dns:localhost,ip:127.0.0.1 -keystore server.p12");
        trust("server.p12", "trusted.p12");
        keytool("-genkeypair -keyalg RSA -dname CN=other -keystore other.p12");
        trust("other.p12", "mistaken.p12");
        port = Ports.next();
        Path config = Files.write(
                dir.resolve("zoo.cfg"),
                List.of(
                        "dataDir=" + dir.resolve("data"),
                        "secureClientPort=" + port,
                        "secureClientPortAddress=127.0.0.1",
                        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "ssl.keyStore.location=" + dir.resolve("server.p12"),
                        "ssl.keyStore.password=secret",
                        "ssl.clientAuth=none",
                        "admin.enableServer=false"));
        server = run(
                "java",
                List.of(
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        QuorumPeerMain.class.getName(),
                        config.toString()));
        await().until(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (java.io.IOException e) {
                return false;
            }
        });
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.destroyForcibly().waitFor();
    }

    /** Makes a store that trusts the certificate of another. */
    private static void trust(String keys, String trusting) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        KeyStore trusted = KeyStore.getInstance(dir.resolve(keys).toFile(), PASSWORD);
        store.setCertificateEntry("server", trusted.getCertificate("server"));
        try (OutputStream file = Files.newOutputStream(dir.resolve(trusting))) {
            store.store(file, PASSWORD);
        }
    }

    private static void keytool(String arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments.split(" ")));
        all.addAll(List.of("-alias", "server", "-storetype", "PKCS12", "-storepass", "secret"));
        assertThat(run("keytool", all).waitFor()).as(arguments).isZero();
    }

    private static Process run(String program, List<String> arguments) throws Exception {
        List<String> line = new ArrayList<>(List.of(BIN.resolve(program).toString()));
        line.addAll(arguments);
        return new ProcessBuilder(line)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("out").toFile())
                .start();
    }

    private static String uri(String options) {
        return "zookeeper://localhost:" + port + "/it?leasehold.storeTimeout=" + options;
    }

    private static String trusting(String store) {
        return "&leasehold.tls=true&leasehold.trustStore=" + dir.resolve(store)
                + "&leasehold.trustStorePassword=secret";
    }

    @Test
    void aServerWithATrustedCertificateIsUsed() throws Exception {
        try (Leasehold leasehold = Leasehold.connect(uri("60000" + trusting("trusted.p12")));
                Lease lease = leasehold.lock("a").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(leasehold.examine().findings().stream().map(Finding::code))
                    .contains("trial", "zookeeper-version-not-seen")
                    .doesNotContain("zookeeper-in-clear");
        }
    }

    @Test
    void anotherCertificateIsRefusedAndNothingIsSent() {
        refused(trusting("mistaken.p12"));
    }

    @Test
    @DisplayName("Without a trust store the certificate is checked by those of Java")
    void withoutATrustStoreJavasChecksTheCertificate() {
        refused("&leasehold.tls=true");
    }

    @Test
    void withoutTlsNothingIsHad() {
        refused("");
    }

    /** The store and the engine both give up after the store's timeout: who is the first is open, and what each says is true. */
    private static void refused(String options) {
        try (Leasehold leasehold = Leasehold.connect(uri("3000" + options))) {
            assertThatThrownBy(() -> leasehold.lock("a").acquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageMatching("(?s).*(in time, and nothing was sent|the lock is not held).*")
                    .hasMessageNotContaining("secret");
        }
    }
}
