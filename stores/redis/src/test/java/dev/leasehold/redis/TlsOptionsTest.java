package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreUri;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A URI names a private authority, the certificate of a client, and the login of a sentinel. */
@Tag("slow")
class TlsOptionsTest {

    private static final Path TLS = Path.of("src/test/resources/tls").toAbsolutePath();
    private static final String CRT = TLS.resolve("server.crt").toString();
    private static final String KEY = TLS.resolve("server.key").toString();
    private static final String OWN = "&leasehold.tls.cert=" + CRT + "&leasehold.tls.key=" + KEY;

    private static void locks(Leasehold client) throws Exception {
        assertThat(client.lock("x")
                        .acquireAsync()
                        .get(A_MINUTE, TimeUnit.SECONDS)
                        .release())
                .isEqualTo(LeaseState.RELEASED);
    }

    private static List<String> tls(String prefix, int port) {
        return List.of(
                prefix + "tls-port", Integer.toString(port),
                prefix + "tls-cert-file", CRT,
                prefix + "tls-key-file", KEY,
                prefix + "tls-ca-cert-file", CRT);
    }

    private static RedisProcess server(int port, String... options) {
        List<String> all = new ArrayList<>(tls("--", port));
        all.addAll(List.of(options));
        return RedisProcess.start(all.toArray(String[]::new));
    }

    private static void locksWithACertificateOnly(String uri, RedisProcess redis) throws Exception {
        String at = uri + "?leasehold.tls.ca=" + CRT + "&leasehold.storeTimeout=%d%s"
                + (uri.contains("sentinel") ? "#main" : "");
        try (Leasehold client = Leasehold.connect(at.formatted(60_000, OWN));
                Leasehold without = Leasehold.connect(at.formatted(4000, ""))) {
            locks(client);
            assertThatThrownBy(() -> without.lock("x").tryAcquire()).isInstanceOf(LockException.class);
            assertThat(redis.commands().exists("leasehold:{x}:token")).isEqualTo(1);
        }
    }

    @Test
    void aServerOfAPrivateAuthorityWantsACertificate() throws Exception {
        int port = Ports.next();
        String quorum = "redlocks://localhost:" + port + "?leasehold.tls.ca=" + CRT + OWN;
        try (RedisProcess redis = server(port);
                Leasehold one = Leasehold.connect(quorum + "&leasehold.storeTimeout=60000")) {
            locksWithACertificateOnly("rediss://localhost:" + port, redis);
            ((RedlockStore) new RedisStoreProvider().create(StoreUri.parse(quorum))).initialize();
            locks(one);
        }
    }

    @Test
    void soDoesACluster() throws Exception {
        int port = Ports.next();
        try (RedisProcess node = server(
                port,
                "--cluster-enabled",
                "yes",
                "--cluster-port",
                Integer.toString(Ports.next()),
                "--tls-cluster",
                "yes",
                "--cluster-announce-hostname",
                "localhost",
                "--cluster-preferred-endpoint-type",
                "hostname")) {
            node.commands()
                    .clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
            await().until(() -> node.commands().clusterInfo().contains("cluster_state:ok"));
            locksWithACertificateOnly("rediss-cluster://localhost:" + port, node);
        }
    }

    @Test
    void soDoASentinelAndItsMaster() throws Exception {
        int port = Ports.next();
        int watching = Ports.next();
        List<String> options = tls("", watching);
        List<String> settings = new ArrayList<>(
                List.of("tls-replication yes", "sentinel resolve-hostnames yes", "sentinel announce-hostnames yes"));
        for (int i = 0; i < options.size(); i += 2) {
            settings.add(options.get(i) + " " + options.get(i + 1));
        }
        try (RedisProcess master = server(port);
                RedisProcess sentinel = RedisProcess.sentinel("localhost " + port, settings)) {
            locksWithACertificateOnly("rediss-sentinel://localhost:" + watching, master);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://a?leasehold.tls.ca=src/test/resources/tls/server.crt",
                "rediss://a?leasehold.tls.ca=/there/is/none",
                "rediss://a?leasehold.tls.cert=src/test/resources/tls/server.crt",
                "rediss://a?leasehold.sentinelPassword=a",
                "redis-sentinel://a?leasehold.sentinelUser=a#main"
            })
    void whatMakesNoSenseIsRefused(String uri) {
        assertThatThrownBy(() -> Leasehold.connect(uri)).isInstanceOf(IllegalArgumentException.class);
    }

    /** They were found at the first lock, as an outage that is tried again. */
    @Test
    void filesThatCannotBeUsedAreRefusedAtConnect(@TempDir Path directory) throws Exception {
        byte[] key =
                Base64.getMimeDecoder().decode(Files.readString(Path.of(KEY)).replaceAll("-----.*-----", ""));
        byte[] inner = Arrays.copyOfRange(key, 26, key.length); // RSA's own form, after the head of PKCS#8.
        Path pkcs1 = directory.resolve("pkcs1.key");
        String pem = "-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----\n";
        Files.writeString(pkcs1, pem.formatted(Base64.getMimeEncoder().encodeToString(inner)));
        for (String option : List.of(
                "ca=" + KEY,
                "cert=" + KEY + "&leasehold.tls.key=" + KEY,
                "cert=" + CRT + "&leasehold.tls.key=" + CRT,
                "cert=" + CRT + "&leasehold.tls.key=" + pkcs1)) {
            assertThatThrownBy(() -> Leasehold.connect("rediss://a?leasehold.tls." + option))
                    .as(option)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
        }
    }

    private static void setUser(RedisClient client, String... rules) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        for (String rule : rules) {
            args.add(rule);
        }
        client.connectSentinel().sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "watcher"})
    void aSentinelHasALoginOfItsOwn(String user) throws Exception {
        try (RedisGroup group = RedisGroup.sentinel();
                RedisClient admin = RedisClient.create(group.servers.get(2).uri())) {
            RedisProcess sentinel = group.servers.get(2);
            setUser(admin, "watcher", "on", ">own", "allchannels", "+@all");
            setUser(admin, "default", "resetpass", user.equals("default") ? ">own" : ">another");
            String uri = "redis-sentinel://localhost:" + sentinel.port() + "?leasehold.storeTimeout=%d%s#main";
            String login = "&leasehold.sentinelPassword=own"
                    + (user.equals("default") ? "" : "&leasehold.sentinelUser=" + user);
            try (Leasehold client = Leasehold.connect(uri.formatted(60_000, login));
                    Leasehold without = Leasehold.connect(uri.formatted(4000, ""))) {
                locks(client);
                assertThatThrownBy(() -> without.lock("x").tryAcquire()).isInstanceOf(LockException.class);
            }
        }
    }
}
