package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperTargetTest {

    private static ZooKeeperTarget read(String uri) {
        return ZooKeeperTarget.read(StoreUri.parse(uri));
    }

    private static ZooKeeperTarget read(String uri, String passwordBeside) {
        StoreUri parsed = StoreUri.parse(uri);
        return ZooKeeperTarget.read(new StoreUri(parsed.scheme(), parsed.text(), Map.of("password", passwordBeside)));
    }

    @Test
    void hostsPortsAndPath() {
        ZooKeeperTarget target = read("zookeeper://zoo1,zoo2:2182,[::1],[::2]:99/a/b/");
        assertThat(target.servers()).isEqualTo("zoo1:2181,zoo2:2182,[::1]:2181,[::2]:99");
        assertThat(target.base()).isEqualTo("/a/b");
        assertThat(target.sessionTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(target.credentials()).isNull();
    }

    @Test
    void credentialsAreReadAndNeverShown() {
        ZooKeeperTarget target = read("zookeeper://me:p%40s%3As+%25@zoo1?leasehold.sessionTimeout=5000");
        assertThat(target.credentials()).isEqualTo("me:p@s:s+%");
        assertThat(target.sessionTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(target.toString()).isEqualTo("zookeeper://zoo1:2181");
        assertThat(ZooKeeperStore.at(target).toString()).doesNotContain("me", "p@s");
    }

    @ParameterizedTest
    @CsvSource({
        "zookeeper://me@zoo1/a, me:p@s:%2Fs+",
        "zookeeper://me:@zoo1/a, me:p@s:%2Fs+",
        "zookeeper://m%2Fe%25@zoo1/a, m/e%:p@s:%2Fs+",
    })
    @DisplayName("A password beside the URI is taken as it stands and never shown")
    void aPasswordBesideTheUriIsNeverShown(String uri, String credentials) {
        ZooKeeperTarget target = read(uri, "p@s:%2Fs+");
        assertThat(target.credentials()).isEqualTo(credentials);
        assertThat(target.servers()).isEqualTo("zoo1:2181");
        assertThat(target.isAuthenticated()).isTrue();
        assertThat(target.toString()).isEqualTo("zookeeper://zoo1:2181/a");
        assertThat(ZooKeeperStore.at(target).toString()).doesNotContain("p@s");
        assertThat(read("zookeeper://me@zoo1?leasehold.password=p%40s").credentials())
                .isEqualTo("me:p@s");
    }

    @ParameterizedTest
    @CsvSource({
        "zookeeper://zoo1/a, which names no user",
        "zookeeper://@zoo1/a, which names no user",
        "zookeeper://:@zoo1/a, which names no user",
        "zookeeper://me:hunter2@zoo1, 'is given twice: in ''zookeeper://me:***@zoo1'' and beside it'",
        "zookeeper://:hunter2@zoo1, is given twice",
        "zookeeper://me%3Aroot@zoo1, no name of a user",
        "zookeeper://zoo1/a@b, no name of a user",
        "zookeeper://%zz@zoo1, not percent-encoded",
    })
    void aPasswordBesideTheUriNeedsAUserAndNoSecondPassword(String uri, String reason) {
        assertThatThrownBy(() -> read(uri, "hunter3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("hunter");
    }

    @Test
    void tlsAndSaslBecomePropertiesOfTheClient() {
        ZooKeeperTarget target = read("zookeeper://zoo1?leasehold.tls=true&leasehold.trustStore=/etc/trust.p12"
                + "&leasehold.trustStorePassword=secret&leasehold.saslContext=Zoo&leasehold.fipsMode=false");
        assertThat(target.isAuthenticated()).isTrue();
        assertThat(target.clientConfig().getProperty("zookeeper.fips-mode")).isEqualTo("false");
        assertThat(target.clientConfig().getProperty("zookeeper.client.secure")).isEqualTo("true");
        assertThat(target.clientConfig().getProperty("zookeeper.clientCnxnSocket"))
                .contains("Netty");
        assertThat(target.clientConfig().getProperty("zookeeper.ssl.trustStore.location"))
                .isEqualTo("/etc/trust.p12");
        assertThat(target.clientConfig().getProperty("zookeeper.sasl.clientconfig"))
                .isEqualTo("Zoo");
        assertThat(target.toString()).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zookeeper:",
                "zookeeper:zoo1",
                "zookeeper://",
                "zookeeper://zoo1,",
                "zookeeper://zoo1:x",
                "zookeeper://zoo 1",
                "zookeeper://user@zoo1",
                "zookeeper://zoo1//a",
                "zookeeper://zoo1/a/../b",
                "zookeeper://zoo1/zookeeper/x",
                "zookeeper://zoo1?x=1",
                "zookeeper://zoo1?leasehold.unknown=1",
                "zookeeper://zoo1?leasehold.sessionTimeout=1",
                "zookeeper://zoo1?leasehold.sessionTimeout=x",
                "zookeeper://zoo1?leasehold.tls=yes",
                "zookeeper://me:%zz-hunter2@zoo1"
            })
    void whatIsWrongIsRefusedWithoutShowingSecrets(String uri) {
        assertThatThrownBy(() -> read(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("zookeeper")
                .hasMessageNotContaining("hunter2");
    }
}
