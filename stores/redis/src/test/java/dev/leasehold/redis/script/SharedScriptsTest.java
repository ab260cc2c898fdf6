package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.redis.ServerClock;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about the scripts of shared locks, one by one, at times that the test names. */
@Tag("slow")
class SharedScriptsTest {

    private static final String KEY = "leasehold:{x}";
    private static final String[] KEYS = {KEY, KEY + ":token", KEY + ":queue"};
    private static final String TELL = "0|leasehold:inbox:|x";
    private static final String READER = "00";

    /** The test's time, in seconds. */
    private static final long BEGINNING = 1_790_000_000;

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    private RedisCommands<String, String> redis;

    @BeforeEach
    void empty() {
        redis = REDIS.get().commands();
        redis.flushall();
    }

    private String run(long second, Script script, String... args) {
        String text = ServerClock.at(BEGINNING + second, 0) + script.text();
        String[] keys = script == Script.RENEW || script == Script.ACKNOWLEDGE ? new String[] {KEY} : KEYS;
        return redis.<List<Object>>eval(text, ScriptOutputType.MULTI, keys, args)
                .get(0)
                .toString();
    }

    /** Claims, as one that waits; {@code place} as in {@code find.lua}. */
    private String claim(long second, String claim, String share, long seconds, int place) {
        return run(
                second,
                share.equals("0") ? Script.CLAIM : Script.SHARED_CLAIM,
                "leasehold|1|" + claim + '|',
                "me",
                Long.toString(seconds * 1_000),
                share,
                "1|0|" + place + '|' + TELL,
                "12500|" + "0".repeat(32) + '|' + claim + "|5000|" + share + "|leasehold:inbox:"
                        + claim.replaceFirst(":.*", "") + "|me");
    }

    private List<String> holders() {
        return redis.get(KEY).lines().skip(1).toList();
    }

    private static String claimOf(String line) {
        return line.split("\\|")[0];
    }

    private static long tokenOf(String line) {
        return Long.parseLong(line.split("\\|")[1]);
    }

    /** The last token may be behind the clock or, after that was set back, ahead of it. */
    @ParameterizedTest
    @ValueSource(longs = {-100, 100})
    void twoLetInByOneQuestionHaveTokensInTheirOrder(long last) {
        redis.set(KEY, "leasehold|1|dead:1|5|0|5|them", SetArgs.Builder.px(60_000));
        for (int i = 1; i <= 3; i++) {
            assertThat(claim(0, "c:" + i, READER, 30, -1)).startsWith("busy|" + i);
        }
        redis.del(KEY);
        long before = (BEGINNING + last) * 1_000_000;
        redis.set(KEYS[1], Long.toString(before), SetArgs.Builder.px(60_000));
        String asked = claim(1, "c:2", READER, 30, 2);
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1", "c:2", "c:3");
        assertThat(holders())
                .extracting(SharedScriptsTest::tokenOf)
                .isSorted()
                .doesNotHaveDuplicates()
                .allMatch(token -> token > before);
        assertThat(asked).startsWith("granted|" + tokenOf(holders().get(1)) + '|');
        assertThat(redis.get(KEYS[1])).isEqualTo(Long.toString(tokenOf(holders().get(2))));
    }

    /** Whoever was told would believe in a grant that is not there. */
    @ParameterizedTest
    @ValueSource(strings = {"0", READER})
    void aFullServerTellsNobodyOfWhatItRefuses(String share) {
        redis.set(KEY, "leasehold|1|dead:1|5|0|5|them", SetArgs.Builder.px(60_000));
        assertThat(claim(0, "c:1", share, 30, -1)).startsWith("busy|1");
        redis.del(KEY);
        redis.configResetstat();
        redis.configSet("maxmemory", "1");
        try {
            assertThat(catchThrowable(() -> claim(1, "c:2", share, 30, -1))).hasMessageContaining("OOM");
        } finally {
            redis.configSet("maxmemory", "0");
        }
        assertThat(redis.info("commandstats")).doesNotContain("cmdstat_publish:");
    }

    /** A permit that ran out has been given to the next one; the same second comes again. */
    @Test
    void aClockThatIsSetBackBringsNoPermitBack() {
        assertThat(claim(0, "c:1", "02", 600, -1)).startsWith("granted|");
        String first = claim(0, "c:2", "02", 30, -1);
        assertThat(first).contains("|0/2/1|");
        assertThat(claim(60, "c:3", "02", 600, -1)).contains("|0/2/1|");
        String token = first.split("\\|")[1];
        assertThat(run(1, Script.RENEW, "leasehold|1|c:2|" + token + '|', "30000"))
                .isEqualTo("-1");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1", "c:3");
    }

    /** The line of one that has run out is taken out, and the others are written again, with their new ends. */
    @Test
    void aRenewalThatLetsAnotherInIsNotForgotten() {
        String token = claim(0, "c:1", "02", 600, -1).split("\\|")[1];
        claim(0, "c:2", "02", 4, -1);
        assertThat(claim(1, "c:3", "02", 30, -1)).startsWith("busy|1");
        assertThat(run(5, Script.DOWNGRADE, "leasehold|1|c:1|" + token + '|', "900000", TELL))
                .isEqualTo("900000");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1", "c:3");
        assertThat(holders().get(0)).startsWith("c:1|" + token + '|' + (BEGINNING + 5 + 900) + "000000|");
    }

    /** The first in the queue has been silent for longer than it may, so the permit goes to the next. */
    @Test
    void aReleaseOfOneOfAllPermitsHandsOverToTheLiving() {
        String token = claim(0, "c:1", "02", 600, -1).split("\\|")[1];
        assertThat(claim(0, "c:2", "02", 600, -1)).startsWith("granted|");
        assertThat(claim(0, "c:3", "02", 30, -1)).startsWith("busy|1");
        assertThat(claim(10, "c:4", "02", 30, -1)).startsWith("busy|2");
        assertThat(run(20, Script.RELEASE, "leasehold|1|c:1|" + token + '|', TELL))
                .isEqualTo("1");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:2", "c:4");
    }

    /** The server counts listeners, and there are none: a waiter that would fit is passed over for that, this one is not. */
    @Test
    @DisplayName("A writer of whom nobody listens stops those behind it all the same")
    void aWriterThatDoesNotListenStopsThoseBehindIt() {
        assertThat(claim(0, "c:1", READER, 600, -1)).startsWith("granted|");
        String token = claim(0, "c:2", READER, 600, -1).split("\\|")[1];
        assertThat(claim(0, "c:3", "0", 30, -1)).startsWith("busy|1");
        assertThat(claim(0, "c:4", READER, 30, -1)).startsWith("busy|2");
        assertThat(run(1, Script.RELEASE, "leasehold|1|c:2|" + token + '|', TELL.replaceFirst("0", "1")))
                .isEqualTo("1");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1");
    }

    /** Its line is still there, since nobody has come in since. */
    @Test
    void nothingBringsBackOneThatHasRunOut() {
        claim(0, "c:1", READER, 600, -1);
        String token = claim(0, "c:2", READER, 30, -1).split("\\|")[1];
        assertThat(run(60, Script.RENEW, "leasehold|1|c:2|" + token + '|', "30000"))
                .isEqualTo("-1");
        assertThat(run(60, Script.DOWNGRADE, "leasehold|1|c:2|" + token + '|', "30000", TELL))
                .isEqualTo("-1");
        assertThat(run(60, Script.ACKNOWLEDGE, "leasehold|1|c:2|" + token + '|'))
                .isEqualTo("0");
        assertThat(run(60, Script.RELEASE, "leasehold|1|c:2|" + token + '|', TELL))
                .isEqualTo("0");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).startsWith("c:1");
    }

    @Test
    void aFirstQuestionThatCameTwiceIsGrantedOnce() {
        String token = claim(0, "writer:1", "0", 30, -1);
        for (int i = 0; i < 2; i++) {
            assertThat(claim(0, "c:1", "03", 30, -1)).startsWith("busy|");
        }
        claim(0, "c:2", "03", 30, -1);
        claim(0, "c:3", "03", 30, -1);
        assertThat(run(1, Script.RELEASE, "leasehold|1|writer:1|" + token + '|', TELL))
                .isEqualTo("1");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1", "c:2", "c:3");
        assertThat(redis.exists(KEYS[2])).isZero();
    }

    private String downgrade(long second, String claim, String token, String milliseconds) {
        return run(second, Script.DOWNGRADE, "leasehold|1|" + claim + '|' + token + '|', milliseconds, TELL);
    }

    @Test
    void aWithdrawnWriterLetsTheReaderBehindItIn() {
        claim(0, "c:1", READER, 30, -1);
        assertThat(claim(0, "c:2", "0", 30, -1)).startsWith("busy|1");
        assertThat(claim(0, "c:3", READER, 30, -1)).startsWith("busy|2");
        assertThat(run(1, Script.WITHDRAW, "c:2", TELL)).isEqualTo("1");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1", "c:3");
    }

    @Test
    void aDowngradeLetsInTheReaderThatWaitsAndThoseThatCome() {
        String token = claim(0, "c:1", "0", 30, -1);
        assertThat(claim(0, "c:2", READER, 30, -1)).startsWith("busy|1");
        assertThat(downgrade(1, "c:1", token, "60000")).isEqualTo("60000");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:1", "c:2");
        assertThat(claim(1, "c:3", READER, 30, -1)).startsWith("granted|");
    }

    /** It stands in the queue as a permit, and asks again as a mutex. */
    @Test
    void theAskerThatIsNextComesInWithTheShareOfItsPlace() {
        letRunOutBehind("02");
        assertThat(claim(1, "c:1", "0", 30, 1)).contains("|0/2/0|");
        assertThat(claim(1, "c:2", "02", 30, -1)).contains("|0/2/1|");
    }

    private void letRunOutBehind(String... shares) {
        redis.set(KEY, "leasehold|1|dead:1|5|0|5|them", SetArgs.Builder.px(60_000));
        for (int i = 0; i < shares.length; i++) {
            assertThat(claim(0, "c:" + (i + 1), shares[i], 30, -1)).startsWith("busy|" + (i + 1));
        }
        redis.del(KEY);
    }

    /** It would have to ask again, up to five seconds later, while nobody has the lock. */
    @Test
    void aWithdrawalFromAFreeLockLetsTheNextIn() {
        letRunOutBehind("0", "0", "0");
        assertThat(run(1, Script.WITHDRAW, "c:1", TELL)).isEqualTo("1");
        assertThat(redis.get(KEY)).startsWith("leasehold|1|c:2|");
        assertThat(redis.llen(KEYS[2])).isEqualTo(1);
    }

    @Test
    void aWithdrawalFromAFreeLockLetsInAllThatFit() {
        letRunOutBehind("0", "02", "02", "02");
        assertThat(run(1, Script.WITHDRAW, "c:1", TELL)).isEqualTo("1");
        assertThat(holders()).extracting(SharedScriptsTest::claimOf).containsExactly("c:2", "c:3");
        assertThat(redis.llen(KEYS[2])).isEqualTo(1);
    }

    /** Its state before the next attempt came in is kept, so that this can be taken back, too. */
    @Test
    @DisplayName("A failed attempt that leaves a free lock keeps the last token")
    void aFailedAttemptKeepsTheLastTokenOfAFreeLock() {
        for (String last : new String[] {"5", ""}) {
            redis.flushall();
            letRunOutBehind("0", "0");
            if (!last.isEmpty()) {
                redis.set(KEYS[1], last, SetArgs.Builder.px(60_000));
            }
            assertThat(run(1, Script.WITHDRAW, "c:1", TELL, "1")).isEqualTo("1");
            assertThat(redis.get(KEY)).startsWith("leasehold|1|c:2|").endsWith("me\n" + last);
            assertThat(run(1, Script.WITHDRAW, "c:2", TELL, "1")).isEqualTo("1");
            assertThat(redis.get(KEYS[1])).isEqualTo(last.isEmpty() ? null : last);
            assertThat(redis.exists(KEY)).isZero();
        }
    }

    @Test
    void aWithdrawalOfNobodyChangesNothing() {
        letRunOutBehind("0", "0");
        assertThat(run(1, Script.WITHDRAW, "c:9", TELL)).isEqualTo("0");
        assertThat(redis.exists(KEY)).isZero();
        assertThat(redis.llen(KEYS[2])).isEqualTo(2);
    }

    @Test
    void aReleaseLeavesWhatCannotBeReadAsItIs() {
        for (String value : List.of("leasehold|2|whatever", "leasehold|2|-\nc:1|5|9|1|owner", "leasehold|2|")) {
            for (String then : List.of(TELL, "5000")) {
                redis.set(KEY, value, SetArgs.Builder.px(60_000));
                Throwable failure = catchThrowable(() -> run(0, Script.RELEASE, "leasehold|1|c:9|5|", then));
                assertThat(failure == null ? "LEASEHOLD_LAYOUT" : failure.getMessage())
                        .contains("LEASEHOLD_LAYOUT");
                assertThat(redis.get(KEY)).isEqualTo(value);
            }
        }
    }
}
