package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperTargetTest {

    private static ZooKeeperTarget read(String uri) {
        return ZooKeeperTarget.read(StoreUri.parse(uri));
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
