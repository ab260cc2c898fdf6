package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
public class SecurityTest {

    /** The rights that a user needs, as docs/redis.md names them. */
    public static final String LEAST =
            "resetkeys resetchannels ~leasehold:* &leasehold:* -@all +evalsha +eval +time +exists +get"
                    + " +mget +set +setrange +del +pttl +pexpire +lindex +llen +lrange +lrem +lset +lpop +lpush +rpush +info"
                    + " +publish +subscribe +scan +ping";

    public static void setUser(RedisProcess redis, String rules) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        for (String rule : rules.split(" ")) {
            args.add(rule);
        }
        redis.commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    private static String as(RedisProcess redis, String user) {
        return "redis://" + user + ":pw@localhost:" + redis.port();
    }

    @Test
    void theLeastRightsSuffice() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            setUser(redis, "app on >pw " + LEAST);
            try (Leasehold one = Leasehold.connect(as(redis, "app"));
                    Leasehold other = Leasehold.connect(as(redis, "app"))) {
                Lease first = one.lock("x").acquire();
                CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
                await().until(() -> redis.commands().exists("leasehold:{x}:queue") == 1);
                assertThat(other.locks("*")).hasSize(1);
                first.extend(java.time.Duration.ofSeconds(50));
                first.release();
                Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
                assertThat(one.breakLock("x", second.token())).isTrue();
                await().until(() -> !second.isValid());
                assertThat(other.lock("x").tryAcquire(java.time.Duration.ofMillis(100)))
                        .isPresent();
            }
        }
    }

    @Test
    void aMissingRightIsNamedAtOnce() {
        try (RedisProcess redis = RedisProcess.start()) {
            setUser(redis, "app on >pw " + LEAST + " -time");
            setUser(redis, "poor on >pw resetchannels ~leasehold:* -@all +ping");
            for (String user : new String[] {"app", "poor"}) {
                try (Leasehold client = Leasehold.connect(as(redis, user))) {
                    assertThatThrownBy(() -> client.lock("x").acquire())
                            .isInstanceOf(LockException.class)
                            .isNotInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("lacks a right");
                }
            }
        }
    }

    @Test
    void aMissingRightIsNamedAtOnceByOlderServersToo() {
        try (RedisProcess redis = RedisProcess.start(RedisProcess.Version.V6_2)) {
            setUser(redis, "app on >pw " + LEAST + " -time");
            try (Leasehold client = Leasehold.connect(as(redis, "app"))) {
                assertThatThrownBy(() -> client.lock("x").acquire())
                        .isInstanceOf(LockException.class)
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("lacks a right");
            }
        }
    }

    @Test
    void waitingForReplicasNeedsOneMoreRight() throws Exception {
        try (RedisProcess redis = RedisProcess.start("--repl-diskless-sync-delay", "0");
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + redis.port())) {
            await().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
            setUser(redis, "app on >pw " + LEAST + " +wait");
            setUser(redis, "poor on >pw " + LEAST);
            String options = "?leasehold.waitForReplicas=1";
            try (Leasehold app = Leasehold.connect(as(redis, "app") + options);
                    Leasehold poor = Leasehold.connect(as(redis, "poor") + options)) {
                Lease lease = app.lock("x").acquire();
                lease.extend(java.time.Duration.ofSeconds(50));
                assertThat(lease.release()).isEqualTo(dev.leasehold.LeaseState.RELEASED);
                assertThatThrownBy(() -> poor.lock("x").acquire())
                        .isInstanceOf(LockException.class)
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("lacks a right");
                assertThat(redis.commands().exists("leasehold:{x}")).isZero();
            }
        }
    }

    /** It served free locks, and every waiter failed; then it was refused. */
    @Test
    void aServerThatKeepsInfoToItselfServesLocks() throws Exception {
        try (RedisProcess redis = RedisProcess.start("--rename-command", "INFO", "OTHER");
                Leasehold one = Leasehold.connect(redis.uri());
                Leasehold other = Leasehold.connect(redis.uri())) {
            Lease first = one.lock("x").acquire();
            CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
            await().until(() -> redis.commands().exists("leasehold:{x}:queue") == 1);
            first.release();
            assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(dev.leasehold.LeaseState.RELEASED);
        }
    }

    @Test
    void plainKeysNeedTheNamesOfTheLocksToo() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            setUser(redis, "app on >pw " + LEAST + " ~order:*");
            try (Leasehold client = Leasehold.connect(as(redis, "app") + "?leasehold.keys=plain")) {
                redis.commands().set("order:1", "theirs");
                CompletableFuture<Lease> waiting = client.lock("order:1").acquireAsync();
                await().until(() -> client.locks("order:1").get(0).waiters().size() == 1);
                redis.commands().del("order:1");
                assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).release())
                        .isEqualTo(dev.leasehold.LeaseState.RELEASED);
                assertThatThrownBy(() -> client.lock("other").acquire()).hasMessageContaining("lacks a right");
            }
        }
    }

    private static RedisProcess withTls(int port) {
        File directory = new File("src/test/resources/tls").getAbsoluteFile();
        return RedisProcess.start(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                new File(directory, "server.crt").toString(),
                "--tls-key-file",
                new File(directory, "server.key").toString(),
                "--tls-ca-cert-file",
                new File(directory, "server.crt").toString(),
                "--tls-auth-clients",
                "no");
    }

    @Test
    void certificatesAreChecked() {
        int port = Ports.next();
        try (RedisProcess redis = withTls(port);
                Leasehold client = Leasehold.connect("rediss://localhost:" + port)) {
            assertThatThrownBy(() -> client.lock("x").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("certificate");
            assertThat(redis.commands().keys("*")).isEmpty();
        }
    }

    /** A client of ours trusts the servers that the JVM trusts. */
    @Test
    void aTrustedServerIsReachedByTlsWithUserAndPassword(@TempDir Path directory) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream certificate = Files.newInputStream(Path.of("src/test/resources/tls/server.crt"))) {
            trusted.setCertificateEntry(
                    "server", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
        }
        Path store = directory.resolve("trusted.p12");
        try (OutputStream out = Files.newOutputStream(store)) {
            trusted.store(out, "changeit".toCharArray());
        }
        int port = Ports.next();
        try (RedisProcess redis = withTls(port)) {
            setUser(redis, "app on >pw " + LEAST);
            Process program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Djavax.net.ssl.trustStore=" + store,
                            "-Djavax.net.ssl.trustStorePassword=changeit",
                            "-cp",
                            System.getProperty("java.class.path"),
                            TlsUser.class.getName(),
                            "rediss://app:pw@localhost:" + port + "?leasehold.storeTimeout=60000")
                    .redirectError(directory.resolve("errors").toFile())
                    .start();
            try {
                assertThat(program.inputReader().readLine())
                        .as(() -> {
                            try {
                                return Files.readString(directory.resolve("errors"));
                            } catch (IOException e) {
                                return e.toString();
                            }
                        })
                        .isEqualTo("RELEASED");
                assertThat(program.waitFor()).isZero();
            } finally {
                program.destroyForcibly();
            }
            assertThat(redis.commands().exists("leasehold:{x}:token")).isEqualTo(1);
        }
    }

    @Test
    void aTrustedServerIsSpokenToInSecret() throws Exception {
        int port = Ports.next();
        RedisClient lettuce = RedisClient.create();
        lettuce.setOptions(ClientOptions.builder()
                .sslOptions(SslOptions.builder()
                        .trustManager(new File("src/test/resources/tls/server.crt"))
                        .build())
                .build());
        try (RedisProcess redis = withTls(port);
                Leasehold client = Leasehold.builder()
                        .store(RedisStore.using(lettuce, RedisURI.create("rediss://localhost:" + port)))
                        .build()) {
            try (Lease lease = client.lock("x").acquire()) {
                assertThat(lease.isValid()).isTrue();
                assertThat(redis.commands().exists("leasehold:{x}")).isEqualTo(1);
            }
            client.close();
            assertThat(lettuce.connect(RedisURI.create(redis.uri())).sync().ping())
                    .isEqualTo("PONG");
        } finally {
            lettuce.shutdown();
        }
    }
}
