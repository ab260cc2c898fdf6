package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.spi.StoreUri;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about the options in a URI of a quorum. */
class RedlockOptionsTest {

    private static List<RedisURI> masters(String uri) {
        return RedisUris.readQuorum(StoreUri.parse(uri));
    }

    private static RedlockOptions options(String query) {
        return RedlockOptions.read(StoreUri.parse("redlock://a,b,c?" + query));
    }

    private static String credentials(RedisURI uri) {
        RedisCredentials read =
                uri.getCredentialsProvider().resolveCredentials().block();
        return read.getUsername() + " " + (read.getPassword() == null ? null : new String(read.getPassword()));
    }

    @Test
    void eachMasterHasWhatItNeedsOfItsOwn() {
        List<RedisURI> read = masters("redlock://a,user:p%40ss@b:7000/3,rediss://:word@c,[::1]:7001");
        assertThat(read)
                .extracting(RedisUris::name)
                .containsExactly("redis://a:6379", "redis://b:7000/3", "rediss://c:6379", "redis://[::1]:7001");
        assertThat(credentials(read.get(0))).isEqualTo("null null");
        assertThat(credentials(read.get(1))).isEqualTo("user p@ss");
        assertThat(credentials(read.get(2))).isEqualTo("null word");
    }

    @Test
    void allHaveTlsWhereTheSchemeSaysSo() {
        assertThat(masters("redlocks://a,b:7000")).allMatch(RedisURI::isSsl);
        assertThat(masters("redlock://a,b:7000")).noneMatch(RedisURI::isSsl);
    }

    @Test
    void aPasswordBesideTheUriIsForThoseThatHaveNone() {
        List<RedisURI> read = RedisUris.readQuorum(
                new StoreUri("redlock", "redlock://a,user@b,user:own@c", java.util.Map.of("password", "shared")));
        assertThat(read)
                .extracting(RedlockOptionsTest::credentials)
                .containsExactly("null shared", "user shared", "user own");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redlock://",
                "redlock://a,,b",
                "redlock://a,",
                "redlock://u:topsecret@a,b:noport",
                "redlock://u:topsecret@a:99999999,u:secondsecret@b",
                "redlock://u:topsecret@a,u:secondsecret@",
                "redlock://u:topsecret@a,redis://v:secondsecret@:80",
                "redlock://u:topsecret@a,b?colour=blue",
            })
    void badMastersAreRefusedAndNoPasswordIsShown(String uri) {
        assertThatThrownBy(() -> new RedisStoreProvider().create(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(RedlockOptionsTest::showsNoSecret);
    }

    private static void showsNoSecret(Throwable failure) {
        java.io.StringWriter text = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(text));
        assertThat(text.toString()).doesNotContain("topsecret").doesNotContain("secondsecret");
    }

    @Test
    void aQuorumNamesItsMastersWithoutCredentials() {
        String uri = "redlock://u:topsecret@a,v:secondsecret@b:7000/2,rediss://c";
        assertThat(new RedisStoreProvider().create(StoreUri.parse(uri)))
                .hasToString("redlock://a:6379,b:7000/2,rediss://c:6379");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redlock://a,b,a", "redlock://a,b,u:topsecret@a:6379", "redlock://a,b,redis://a"})
    void aMasterThatIsNamedTwiceIsRefused(String uri) {
        assertThatThrownBy(() -> new RedisStoreProvider().create(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only once")
                .satisfies(RedlockOptionsTest::showsNoSecret);
    }

    @Test
    void sentinelsAreNoMastersOfAQuorum() {
        RedisURI sentinel = RedisURI.create("redis-sentinel://a,b#main");
        assertThatThrownBy(() -> RedlockStore.of(List.of(sentinel)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Sentinel");
        assertThatThrownBy(() -> RedlockStore.of(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one");
    }

    @Test
    void anOptionThatIsMissingHasItsDefault() {
        assertThat(RedlockOptions.read(StoreUri.parse("redlock://a,b,c"))).isEqualTo(RedlockOptions.DEFAULTS);
        assertThat(options("leasehold.trustPersistence=false")).isEqualTo(RedlockOptions.DEFAULTS);
        assertThat(RedlockOptions.DEFAULTS)
                .isEqualTo(new RedlockOptions(
                        Duration.ofSeconds(60), Duration.ofMillis(50), RedisSettings.DEFAULTS, false, true));
    }

    @Test
    void anOptionThatIsGivenIsRead() {
        assertThat(options("leasehold.maxLeaseDuration=2m&leasehold.nodeTimeout=75&leasehold.keys=plain"
                        + "&leasehold.trustPersistence=true"))
                .isEqualTo(new RedlockOptions(
                        Duration.ofMinutes(2),
                        Duration.ofMillis(75),
                        RedisSettings.DEFAULTS.withPlainKeys(),
                        true,
                        true));
        assertThat(options("leasehold.maxLeaseDuration=3h&leasehold.nodeTimeout=75ms"))
                .isEqualTo(new RedlockOptions(
                        Duration.ofHours(3), Duration.ofMillis(75), RedisSettings.DEFAULTS, false, true));
        assertThat(options("leasehold.nodeTimeout=1s").nodeTimeout()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource({
        "leasehold.maxLeaseDuration=99ms, 100 ms",
        "leasehold.maxLeaseDuration=169h, 7 days",
        "leasehold.maxLeaseDuration=999999999999h, 7 days",
        "leasehold.maxLeaseDuration=1.5s, 500ms",
        "leasehold.maxLeaseDuration=-1s, 500ms",
        "leasehold.maxLeaseDuration=, 500ms",
        "leasehold.nodeTimeout=0, 1 ms",
        "leasehold.nodeTimeout=11s, 10 s",
        "leasehold.nodeTimeout=fast, 500ms",
        "leasehold.keys=bare, plain",
        "leasehold.trustPersistence=yes, true or false",
        "leasehold.waitForReplicas=1, unknown option leasehold.waitForReplicas",
    })
    void badOptionsAreRefusedAndWhatWouldBeGoodIsSaid(String query, String said) {
        assertThatThrownBy(() -> options(query))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }

    @Test
    void theMarkerWaitsLongerThanTheLongestLease() {
        assertThat(options("leasehold.maxLeaseDuration=60s").marker().text()).isEqualTo("60000|62600|0");
        assertThat(options("leasehold.maxLeaseDuration=150ms&leasehold.trustPersistence=true")
                        .marker()
                        .text())
                .isEqualTo("150|2152|1");
    }
}
