package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.architecture.Pages;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A Redis that is spoken to by TLS, with the certificates of a bundle of the application. */
@Tag("slow")
class SslBundleTest {

    private static final Path CERTIFICATES = Pages.ROOT.resolve("stores/redis/src/test/resources/tls");
    private static final String BUNDLE = "spring.ssl.bundle.pem.locks.";
    private static final String TRUST = BUNDLE + "truststore.certificate=file:" + CERTIFICATES.resolve("server.crt");
    private static final String[] IDENTITY = {
        BUNDLE + "keystore.certificate=file:" + CERTIFICATES.resolve("server.crt"),
        BUNDLE + "keystore.private-key=file:" + CERTIFICATES.resolve("server.key")
    };

    private final int port = Ports.next();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class, DataRedisAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.port=" + port, "leasehold.store.timeout=2s");
    private final ApplicationContextRunner bundled =
            runner.withPropertyValues("spring.data.redis.ssl.bundle=locks", TRUST);

    private RedisProcess server(String... more) {
        List<String> options = new ArrayList<>(List.of(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                CERTIFICATES.resolve("server.crt").toString(),
                "--tls-key-file",
                CERTIFICATES.resolve("server.key").toString(),
                "--tls-ca-cert-file",
                CERTIFICATES.resolve("server.crt").toString()));
        options.addAll(List.of(more));
        return RedisProcess.start(options.toArray(String[]::new));
    }

    private static void assertLocks(AssertableApplicationContext context, RedisProcess server)
            throws InterruptedException {
        assertThat(context).hasNotFailed();
        try (Lease lease = context.getBean(Leasehold.class).lock("a").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(server.commands().exists("leasehold:{a}")).isEqualTo(1);
        }
    }

    private static void assertCannotLock(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        assertThatThrownBy(() -> context.getBean(Leasehold.class).lock("a").tryAcquire())
                .isInstanceOf(LockException.class);
    }

    @Test
    void aServerThatTheBundleTrustsIsUsed() {
        try (RedisProcess server = server("--tls-auth-clients", "no")) {
            bundled.run(context -> assertLocks(context, server));
        }
    }

    @Test
    void withoutABundleTheServerIsNotTrusted() {
        try (RedisProcess server = server("--tls-auth-clients", "no")) {
            String[] patient = {"spring.data.redis.ssl.enabled=true", "leasehold.store.timeout=1m"};
            // The first handshake of a JVM on a busy machine may take so long that the store counts as unreachable.
            runner.withPropertyValues(patient).run(context -> {});
            runner.withPropertyValues(patient).run(context -> {
                assertThat(context).hasFailed();
                assertThat(Failure.analysis(context.getStartupFailure()).getDescription())
                        .contains("certificate");
            });
            assertThat(server.commands().keys("*")).isEmpty();
        }
    }

    @Test
    void theBundlesKeyIsShownToAServerThatAsksForIt() {
        try (RedisProcess server = server("--tls-auth-clients", "yes")) {
            bundled.withPropertyValues(IDENTITY).run(context -> assertLocks(context, server));
            bundled.withPropertyValues("leasehold.store.check=false").run(SslBundleTest::assertCannotLock);
        }
    }

    @Test
    void theBundlesProtocolsAreUsed() {
        try (RedisProcess server = server("--tls-auth-clients", "no", "--tls-protocols", "TLSv1.2")) {
            bundled.withPropertyValues(BUNDLE + "options.enabled-protocols=TLSv1.2")
                    .run(context -> assertLocks(context, server));
            bundled.withPropertyValues(BUNDLE + "options.enabled-protocols=TLSv1.3", "leasehold.store.check=false")
                    .run(SslBundleTest::assertCannotLock);
        }
    }
}
