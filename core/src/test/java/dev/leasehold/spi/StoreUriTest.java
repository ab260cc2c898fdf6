package dev.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUriTest {

    /** It was taken for a part of the last option, and the master had no name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://a,b?leasehold.keys=plain#main",
                "redis-sentinel://a,b#main?leasehold.keys=plain"
            })
    void aSentinelsMasterKeepsItsName(String uri) {
        assertThat(StoreUri.parse(uri).text()).isEqualTo("redis-sentinel://a,b#main");
        assertThat(StoreUri.parse(uri).options()).containsExactly(Map.entry("keys", "plain"));
    }

    @Test
    void takesOurOptionsOutAndLeavesTheRest() {
        StoreUri uri =
                StoreUri.parse("JDBC:postgresql://h/db?a=1&leasehold.namespace=prod&b=2&leasehold.label=x%20y+z");
        assertThat(uri.scheme()).isEqualTo("jdbc");
        assertThat(uri.text()).isEqualTo("JDBC:postgresql://h/db?a=1&b=2");
        assertThat(uri.options()).isEqualTo(Map.of("namespace", "prod", "label", "x y+z"));
    }

    @Test
    void withoutOptionsNothingChanges() {
        assertThat(StoreUri.parse("memory:").text()).isEqualTo("memory:");
        assertThat(StoreUri.parse("sqlite:/a b/c?d").text()).isEqualTo("sqlite:/a b/c?d");
        assertThat(StoreUri.parse("sqlite:x?leasehold.label=a").text()).isEqualTo("sqlite:x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", ":x", "/a:b", "1a:b", "sqlite:x?leasehold.label", "sqlite:x?leasehold.a=1&leasehold.a=2"
            })
    void refusesWhatIsNoStoreUri(String uri) {
        assertThatThrownBy(() -> StoreUri.parse(uri)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anOptionThatIsNotPercentEncodedIsNamed() {
        assertThatThrownBy(() -> StoreUri.parse("sqlite:x?leasehold.label=100%zz"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leasehold.label")
                .hasMessageContaining("%25");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            redis://user:S3CRET@host:6379/0                  | redis://user:***@host:6379/0
            redis://:S3CRET@host                             | redis://:***@host
            redis://:S3/CRET@host                            | redis://:***@host
            redis://:S3#CRET@host                            | redis://:***@host
            redis://:S3?CRET@host                            | redis://:***@host
            redis://:S3@CRET@host                            | redis://:***@host
            redis://:S3:CRET@host                            | redis://:***@host
            redis://:S3?x=CRET@host                          | redis://:***@host
            redis://S3?x=CRET@host                           | redis://***@host
            redis://u:S3&x=CRET@host:1/0                     | redis://u:***@host:1/0
            redis://u:12?S3=CRET@host                        | redis://u:***@host
            redlock://:S3CRET@h1,:S3CRET@h2                  | redlock://:***@h2
            redis-sentinel://S3CRET@h1:1,h2/0#master         | redis-sentinel://***@h1:1,h2/0#master
            redis://S3CRET@host                              | redis://***@host
            zookeeper://user@host:2181/path                  | zookeeper://user@host:2181/path
            jdbc:mysql://h/db?user=u&password2=S3CRET        | jdbc:mysql://h/db?user=u&password2=***
            jdbc:mysql://u:S3CRET@h/db?useSSL=true           | jdbc:mysql://u:***@h/db?useSSL=true
            jdbc:mysql://u:S3?x=CRET@h/db?useSSL=true        | jdbc:mysql://u:***@h/db?useSSL=true
            jdbc:postgresql://[::1]:1,h:2,[a:b]/d?user=a@b   | jdbc:postgresql://[::1]:1,h:2,[a:b]/d?user=a@b
            jdbc:postgresql://h/db?user=u&password=S3CRET&x=1| jdbc:postgresql://h/db?user=u&password=***&x=1
            jdbc:postgresql://h/db?PASSWORD=S3CRET           | jdbc:postgresql://h/db?PASSWORD=***
            jdbc:postgresql://h/db?sslpassword=S3CRET        | jdbc:postgresql://h/db?sslpassword=***
            jdbc:mariadb://h/db?keyStorePassword=S3CRET      | jdbc:mariadb://h/db?keyStorePassword=***
            jdbc:h2:mem:x;USER=sa;PASSWORD=S3CRET            | jdbc:h2:mem:x;USER=sa;PASSWORD=***
            jdbc:mysql://address=(host=h)(password=S3CRET)/d | jdbc:mysql://address=(host=h)(password=***)/d
            redis://host?clientSecret=S3CRET                 | redis://host?clientSecret=***
            redis://host:6379/0                              | redis://host:6379/0
            jdbc:postgresql://h:5432/db?user=a@b             | jdbc:postgresql://h:5432/db?user=a@b
            sqlite:/home/u@x/locks.db                        | sqlite:/home/u@x/locks.db
            """)
    void passwordsAreNeverShown(String uri, String shown) {
        assertThat(StoreUri.parse(uri)).hasToString(shown);
        assertThatThrownBy(() -> StoreUri.parse(uri + (uri.contains("?") ? "&" : "?") + "leasehold.x"))
                .satisfies(e -> assertThat(e.toString()).doesNotContain("S3").doesNotContain("CRET"));
    }

    @Test
    void aLongUriIsReadWithoutDeepRecursion() {
        String uri = "redis://u:" + "p/".repeat(100_000) + "@host?password=" + "q".repeat(100_000);
        assertThat(StoreUri.parse(uri)).hasToString("redis://u:***@host?password=***");
    }

    @Test
    void optionsCannotBeChanged() {
        Map<String, String> options =
                StoreUri.parse("memory:?leasehold.label=a").options();
        assertThatThrownBy(() -> options.put("a", "b")).isInstanceOf(UnsupportedOperationException.class);
    }
}
