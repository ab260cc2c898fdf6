package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import java.util.List;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The server, and two clients by sections of their own, prove by SASL who they are, here with digest-MD5. */
class SaslTest {

    private static final String PROVIDER = "zookeeper.authProvider.sasl";

    private static OneServer zoo;

    /** These sections are what a file named by {@code java.security.auth.login.config} would say. */
    private static final class Sections extends Configuration {

        private static final Map<String, Map<String, String>> ALL = Map.of(
                "Server", Map.of("user_app", "s3cret", "user_other", "0ther"),
                "App", Map.of("username", "app", "password", "s3cret"),
                "Other", Map.of("username", "other", "password", "0ther"),
                "Wrong", Map.of("username", "app", "password", "wr0ng"));

        @Override
        public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            Map<String, String> options = ALL.get(name);
            return options == null
                    ? null
                    : new AppConfigurationEntry[] {
                        new AppConfigurationEntry(
                                DigestLoginModule.class.getName(), LoginModuleControlFlag.REQUIRED, options)
                    };
        }
    }

    @BeforeAll
    static void startServer() throws Exception {
        Configuration.setConfiguration(new Sections());
        System.setProperty(PROVIDER, SASLAuthenticationProvider.class.getName());
        ProviderRegistry.addOrUpdateProvider(PROVIDER);
        zoo = new OneServer();
    }

    @AfterAll
    static void stopServer() {
        zoo.close();
        System.clearProperty(PROVIDER);
        ProviderRegistry.reset();
        Configuration.setConfiguration(null);
    }

    private static Leasehold connect(String section) {
        return Leasehold.connect("zookeeper://127.0.0.1:" + zoo.port() + "/sasl?leasehold.storeTimeout=60000"
                + "&leasehold.fipsMode=false&leasehold.saslContext=" + section);
    }

    private static List<ACL> access(String path) throws Exception {
        return zoo.tree().getACL(path, new Stat());
    }

    @Test
    void nodesBelongToWhomTheServerKnowsBySasl() throws Exception {
        try (Leasehold app = connect("App");
                Lease lease = app.lock("a").acquire();
                Leasehold same = connect("App");
                Leasehold other = connect("Other")) {
            String lock = "/sasl/leasehold/locks/a";
            for (String made : List.of("/sasl/leasehold", lock)) {
                assertThat(access(made)).singleElement().satisfies(acl -> {
                    assertThat(acl.getPerms()).isEqualTo(Perms.ALL);
                    assertThat(acl.getId().getScheme()).isEqualTo("sasl");
                    assertThat(acl.getId().getId()).isEqualTo("app");
                });
            }
            assertThat(lease.isValid()).isTrue();
            assertThat(same.lock("a").tryAcquire()).isEmpty();
            assertThatThrownBy(() -> other.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndNotRepeated() {
        try (Leasehold wrong = connect("Wrong")) {
            assertThatThrownBy(() -> wrong.lock("b").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageNotContaining("wr0ng");
        }
    }
}
