package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.ServerClock;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The record of the last token lives for two days from the last grant, although most grants leave its time to live as it
 * is. The test sets the server's clock.
 */
@Tag("slow")
class TokenLifeTest {

    private static final String LOCK = "leasehold:{x}";
    private static final String[] KEYS = {LOCK, LOCK + ":token", LOCK + ":queue"};
    private static final long NOW = 1_790_000_005_000_000L;
    private static final String CLOCK = ServerClock.at(1_790_000_005, 0);
    private static final long TWO_DAYS = TimeUnit.DAYS.toMillis(2);

    /** A record that is as old as its token says, and one whose token is as good as new. */
    @ParameterizedTest
    @CsvSource({
        "V6_2, claim, 1789999999999999",
        "V7_0, claim, 1789999999999999",
        "V7_0, claim, 1700000000000000",
        "V7_0, claim, 1790000005000001",
        "V7_0, claim, 99999999999999",
        "V7_0, claim,",
        "V6_2, hand-over, 1789999999999999",
        "V7_0, hand-over, 1789999999999999",
        "V7_0, hand-over, 1700000000000000",
        "V7_0, hand-over, 1790000005000001",
        "V7_0, hand-over, 99999999999999",
        "V7_0, hand-over,",
        "V7_0, break, 1789999999999999",
    })
    void aGrantThatIsNotOfTheSameTenSecondsBeginsItAnew(Version version, String by, Long last) {
        try (RedisProcess redis = RedisProcess.start(version)) {
            if (last != null) {
                redis.commands().set(KEYS[1], last.toString(), SetArgs.Builder.px(1000_000));
            }
            long token = grant(redis, by);
            assertThat(token).isEqualTo(last == null ? NOW : Math.max(NOW, last + 1));
            assertThat(redis.commands().get(KEYS[1])).isEqualTo(Long.toString(token));
            // A grant after it may leave the record as it is, for ten seconds.
            assertThat(redis.commands().pttl(KEYS[1])).isBetween(TWO_DAYS + 1_000, TWO_DAYS + 10_000);
        }
    }

    @ParameterizedTest
    @CsvSource({"V6_2, claim", "V7_0, claim", "V6_2, hand-over", "V7_0, hand-over"})
    void aGrantOfTheSameTenSecondsLeavesItAsItIs(Version version, String by) {
        try (RedisProcess redis = RedisProcess.start(version)) {
            redis.commands().set(KEYS[1], "1790000000000000", SetArgs.Builder.px(TWO_DAYS + 9_000));
            assertThat(grant(redis, by)).isEqualTo(NOW);
            assertThat(redis.commands().get(KEYS[1])).isEqualTo(Long.toString(NOW));
            assertThat(redis.commands().pttl(KEYS[1])).isBetween(TWO_DAYS, TWO_DAYS + 9_000);
        }
    }

    private static long grant(RedisProcess redis, String by) {
        if (by.equals("claim")) {
            ask(redis);
        } else {
            redis.commands().set(KEYS[0], "leasehold|1|holder:1|1|0|1|them", SetArgs.Builder.px(30_000));
            ask(redis);
            boolean release = by.equals("hand-over");
            redis.commands()
                    .eval(
                            CLOCK + (release ? Script.RELEASE : Script.BREAK).text(),
                            ScriptOutputType.MULTI,
                            KEYS,
                            release ? "leasehold|1|holder:1|1|" : "1",
                            "0|leasehold:inbox:|x");
        }
        String[] value = redis.commands().get(KEYS[0]).split("\\|");
        assertThat(value[2]).isEqualTo("waiter:1");
        return Long.parseLong(value[3]);
    }

    private static void ask(RedisProcess redis) {
        redis.commands()
                .eval(
                        CLOCK + Script.CLAIM.text(),
                        ScriptOutputType.MULTI,
                        KEYS,
                        "leasehold|1|waiter:1|",
                        "owner",
                        "30000",
                        "0",
                        "1|0|-1|0|leasehold:inbox:|x",
                        "12500|" + "0".repeat(32) + "|waiter:1|5000|0|leasehold:inbox:waiter|owner");
    }
}
