package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.architecture.Pages;
import dev.leasehold.spi.StoreUri;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every form of URI that the pages name is taken with every option that they name, and means the same as without. */
@Tag("slow")
class UriFormsTest {

    private static final Pattern FORM =
            Pattern.compile("^\\| `(redis[^`]*)`|^ {4}(redlocks?://\\S+)", Pattern.MULTILINE);
    private static final Pattern OPTION = Pattern.compile("^\\| `leasehold\\.(\\w+)=?([^`]*)`", Pattern.MULTILINE);

    private static List<String> in(String page, Pattern what) throws IOException {
        return what.matcher(Files.readString(Pages.ROOT.resolve(page)))
                .results()
                .map(found -> found.group().replaceAll("[`| ]", ""))
                .toList();
    }

    /** Returns an option of the pages' tables with a value that it can have. */
    private static String valued(String option) {
        return switch (option.replaceAll("leasehold\\.|=.*", "")) {
            case "waitForReplicas" -> "leasehold.waitForReplicas=1&leasehold.waitTimeout=100";
            case "maxLeaseDuration", "nodeTimeout" -> option + "=5s";
            case "tokenLife" -> "leasehold.tokenLife=6h";
            case "trustPersistence" -> option + "=true";
            default -> option.replace('…', '1');
        };
    }

    @ParameterizedTest
    @CsvSource({"docs/redis.md, 5, 3", "docs/redlock.md, 3, 4"})
    void everyFormTakesEveryOption(String page, int forms, int options) throws IOException {
        assertThat(in(page, FORM)).hasSizeGreaterThanOrEqualTo(forms);
        assertThat(in(page, OPTION)).hasSizeGreaterThanOrEqualTo(options);
        for (String form : in(page, FORM)) {
            String uri = form.replace(":PORT", ":7001").replace("/DATABASE", "/1");
            for (String option : in(page, OPTION)) {
                if (uri.contains(option.replaceAll("=.*", ""))) {
                    continue;
                }
                // A password beside one in the URI is refused.
                String base = option.contains("password") ? uri.replaceAll(":(PASSWORD|OTHER)@", "@") : uri;
                String with = valued(option);
                int hash = base.indexOf('#') < 0 ? base.length() : base.indexOf('#');
                String query = base.substring(0, hash).contains("?") ? "&" : "?";
                for (String one : List.of(
                        base.substring(0, hash) + query + with + base.substring(hash),
                        base.substring(0, hash) + query + "timeout=9s&" + with + base.substring(hash),
                        base.substring(0, hash) + query + with + "&timeout=9s" + base.substring(hash),
                        query.equals("?") ? base + query + with + "&timeout=9s" : base)) {
                    assertThat(named(one)).as(one).isEqualTo(named(uri));
                }
            }
        }
    }

    /** A part of the password was taken for a port, a database or an option, and was shown. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://app:p/topsecret@h",
                "redis://app:1234/topsecret@h:6379/2",
                "redis://app:1234#topsecret@h",
                "redis://app:topsecret?p@h",
                "redis://app:1234?topsecret@h",
                "redis://app:topsecret?p=q@h",
                "redis://app:1234?topsecret=q@h",
                "redis://topsecret/p@h",
                "rediss://app:topsecret#p@h1,h2",
                "redlock://app:p,topsecret@h",
                "redis-sentinel://app:topsecret/p@h1,h2#main",
                "redis-sentinel://app:topsecret#p@h1,h2#main",
                "redis-cluster://app:1234/topsecret@h1,h2",
                "redlock://h1,app:topsecret/p@h2,h3",
                "redlock://h1,app:1234/topsecret@h2,h3",
                "redlock://h1,app:1234?topsecret@h2,h3",
                "redlock://h1,app:topsecret#p@h2,h3"
            })
    void aPasswordThatIsNotEncodedIsHinted(String uri) {
        assertThatThrownBy(() -> named(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has to be encoded (/ is %2F, @ is %40,")
                .hasMessageContaining("or pass it apart, with --store-password-file or Map.of(\"password\", …)")
                .satisfies(refused -> assertThat(String.valueOf(refused) + refused.getCause())
                        .doesNotContain("topsecret")
                        .doesNotContain("1234"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://h:noport", "redis://h?colour=blue", "redlock://h1,,h2"})
    void whereThereIsNoPasswordNothingIsHinted(String uri) {
        assertThatThrownBy(() -> named(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("encoded");
    }

    private static String named(String uri) {
        return new RedisStoreProvider().create(StoreUri.parse(uri)).toString();
    }
}
