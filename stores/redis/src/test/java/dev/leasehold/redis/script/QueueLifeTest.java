package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.ServerClock;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The queue lives as long as every waiter in it, although waiters of the same second as the first one do not prolong
 * it. The test sets the server's clock.
 */
class QueueLifeTest {

    private static final String LOCK = "leasehold:{x}";
    private static final String QUEUE = LOCK + ":queue";

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    @BeforeEach
    void hold() {
        redis.get().commands().set(LOCK, "leasehold|1|holder:1|1|0|1|them", SetArgs.Builder.px(60_000));
    }

    private void join(String claim, int aliveFor, int second) {
        join(claim, aliveFor, second, -1);
    }

    /** A claim that names a place has been sent before, so it goes the long way. */
    private void join(String claim, int aliveFor, int second, int place) {
        String clock = ServerClock.at(second, 0);
        Object answer = redis.get()
                .commands()
                .eval(
                        clock + Script.CLAIM.text(),
                        ScriptOutputType.MULTI,
                        new String[] {LOCK, LOCK + ":token", QUEUE},
                        "leasehold|1|" + claim + "|",
                        "owner",
                        "30000",
                        "0",
                        "1|0|" + place + "|1|leasehold:inbox:|x",
                        String.format("%05d", aliveFor) + "|" + "0".repeat(32) + "|" + claim
                                + "|5000|0|leasehold:inbox:waiter|owner");
        assertThat(answer.toString()).startsWith("[busy|");
    }

    private long life() {
        return redis.get().commands().pttl(QUEUE);
    }

    @Test
    void aLongerLifeInTheSameSecondIsRecorded() {
        join("brief:1", 1_250, 1_790_000_005);
        assertThat(life()).isBetween(2_000L, 4_000L);
        join("long:1", 12_500, 1_790_000_005);
        assertThat(life()).isGreaterThan(13_500);
    }

    @Test
    void theFirstOfALaterSecondProlongsTheQueue() {
        join("first:1", 12_500, 1_790_000_005);
        redis.get().commands().pexpire(QUEUE, 13_400);
        join("second:1", 12_500, 1_790_000_006);
        assertThat(life()).isGreaterThan(20_000);
    }

    @Test
    void aNewcomerInTheSameSecondProlongsNothing() {
        join("first:1", 12_500, 1_790_000_005);
        redis.get().commands().configResetstat();
        join("second:1", 12_500, 1_790_000_005);
        assertThat(redis.get().commands().info("commandstats")).doesNotContain("cmdstat_pttl");
        assertThat(life()).isGreaterThan(20_000);
    }

    @Test
    void aWaiterOfLessThanASecondIsNotReliedOn() {
        join("first:1", 900, 1_790_000_005);
        redis.get().commands().pexpire(QUEUE, 1_000);
        join("second:1", 900, 1_790_000_005);
        assertThat(life()).isGreaterThan(1_900);
    }

    @Test
    void aLongerLifeIsRecordedTheLongWayToo() {
        join("brief:1", 1_250, 1_790_000_005, 0);
        assertThat(life()).isBetween(2_000L, 4_000L);
        join("long:1", 12_500, 1_790_000_005, 0);
        assertThat(life()).isGreaterThan(13_500);
    }
}
