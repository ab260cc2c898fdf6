package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.redis.script.Script;
import dev.leasehold.redis.script.ScriptTexts;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A user of a million names a day has the last token of each remembered for hours and not for days. */
@Tag("slow")
class TokenLifeOptionTest {

    private static final long SIX_HOURS = TimeUnit.HOURS.toMillis(6);

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    @ParameterizedTest
    @ValueSource(strings = {"redis://", "redlock://"})
    void eachGrantBeginsThatTime(String scheme) throws Exception {
        REDIS.get().commands().flushall();
        String uri = scheme + "localhost:" + REDIS.get().port() + "?leasehold.tokenLife=6h";
        if (scheme.equals("redlock://")) {
            ((RedlockStore) new RedisStoreProvider().create(StoreUri.parse(uri))).initialize();
        }
        try (Leasehold one = Leasehold.connect(uri);
                Leasehold other = Leasehold.connect(uri)) {
            Lease first = one.lock("x").acquire();
            expectSixHours("x");
            CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
            await().until(() -> REDIS.get().commands().exists("leasehold:{x}:queue") == 1);
            first.release();
            Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            expectSixHours("x");
            assertThat(second.token()).isGreaterThan(first.token());
            try (Lease reader = one.readWriteLock("y").read().acquire()) {
                assertThat(reader.isValid()).isTrue();
                expectSixHours("y");
            }
        }
    }

    private static void expectSixHours(String lock) {
        // A test takes no hour.
        assertThat(REDIS.get().commands().pttl("leasehold:{" + lock + "}:token"))
                .isBetween(SIX_HOURS / 2, SIX_HOURS + 10_000);
    }

    @Test
    void noScriptKeepsTwoDays() {
        ScriptTexts texts = new ScriptTexts(Duration.ofHours(6));
        for (Script script : Script.values()) {
            assertThat(texts.text(script)).as(script.name()).doesNotContain("172810000");
            assertThat(texts.sha(script).equals(script.sha()))
                    .as(script.name())
                    .isEqualTo(texts.text(script).equals(script.text()));
        }
    }

    @ParameterizedTest
    @CsvSource({"redis, 59s, 60 s", "redis, 9000h, 365 days", "redlock, 2h, maxLeaseDuration", "redis, a day, such as"})
    void whatIsTooLittleOrTooMuchIsRefused(String scheme, String life, String told) {
        StoreUri uri = new StoreUri(
                scheme,
                scheme + "://h",
                scheme.equals("redis")
                        ? Map.of("tokenLife", life)
                        : Map.of("tokenLife", life, "maxLeaseDuration", "3h"));
        assertThatThrownBy(() -> new RedisStoreProvider().create(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(told);
    }
}
