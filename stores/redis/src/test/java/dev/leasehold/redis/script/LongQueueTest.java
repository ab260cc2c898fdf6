package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.QueueEntries;
import dev.leasehold.testtools.Started;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A queue of more than a thousand: a waiter that asks again is found, whatever place it believes to have, and keeps its
 * place.
 */
@Tag("slow")
class LongQueueTest {

    private static final String LOCK = "leasehold:{x}";
    private static final String QUEUE = LOCK + ":queue";
    private static final int LENGTH = 1203;

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private RedisCommands<String, String> server;

    @BeforeEach
    void fill() {
        server = redis.get().commands();
        server.set(LOCK, "leasehold|1|holder:1|1700000000000000|0|1700000000000000|them", SetArgs.Builder.px(600_000));
        for (int i = 1; i <= LENGTH; i++) {
            assertThat(ask(i, -1)).startsWith("[busy|" + i + "|");
        }
    }

    private String ask(int claim, int place) {
        return server.eval(
                        Script.CLAIM.text(),
                        ScriptOutputType.MULTI,
                        new String[] {LOCK, LOCK + ":token", QUEUE},
                        "leasehold|1|waiter:" + claim + "|",
                        "owner",
                        "30000",
                        "0",
                        "1|0|" + place + "|1|leasehold:inbox:|x",
                        "90000|" + "0".repeat(32) + "|waiter:" + claim + "|5000|0|leasehold:inbox:waiter|owner")
                .toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 20, 21, 500, 501, 521, 1000, 1001, 1202, 1203})
    void aWaiterThatAsksAgainKeepsItsPlace(int claim) {
        for (int told :
                new int[] {claim, 0, 1, claim + 1, claim + 19, claim + 20, claim + 700, Math.max(1, claim - 1)}) {
            assertThat(ask(claim, told)).as("told %d", told).startsWith("[busy|" + claim + "|");
        }
        assertThat(QueueEntries.claims(server, QUEUE)).hasSize(LENGTH).doesNotHaveDuplicates();
    }

    /** They stayed for as long as the lock was held: 2,000 behind a leader. */
    @Test
    void thoseWhoDiedBehindALivingFirstOneDoNotPileUp() {
        String living = server.lindex(QUEUE, -1);
        server.del(QUEUE);
        for (int i = 0; i < 500; i++) {
            server.rpush(
                    QUEUE,
                    "0000000000000001" + living.substring(16).replace("waiter:" + LENGTH + "|", "dead:" + i + "|"));
            if (i % 100 == 0) {
                server.rpush(QUEUE, living.replace("waiter:" + LENGTH + "|", "waiter:" + i / 100 + "|"));
            }
        }
        server.pexpire(QUEUE, 600_000);
        assertThat(ask(0, 1)).startsWith("[busy|1|");
        assertThat(server.llen(QUEUE)).isBetween(399L, 410L);
        for (int i = 0; i < 200; i++) {
            assertThat(ask(0, 1)).startsWith("[busy|1|");
        }
        assertThat(QueueEntries.claims(server, QUEUE))
                .containsExactly("waiter:0", "waiter:1", "waiter:2", "waiter:3", "waiter:4");
    }

    @Test
    void aWaiterThatMovedForwardIsFoundWithoutAFullRead() {
        server.ltrim(QUEUE, 15, -1);
        server.configResetstat();
        assertThat(ask(1000, 1000)).startsWith("[busy|985|");
        assertThat(server.info("commandstats")).contains("cmdstat_lrange:calls=1,");
    }

    @Test
    void aWaiterThatIsGoneJoinsAnew() {
        server.ltrim(QUEUE, 0, 999);
        assertThat(ask(1203, 1203)).startsWith("[busy|1001|");
        assertThat(ask(1202, 0)).startsWith("[busy|1002|");
    }

    /** A connection that was given up may still deliver it. */
    @Test
    void aFirstQuestionThatComesTwiceCostsNobodyHisPlace() {
        String other = "waiter:" + 1;
        assertThat(ask(1, -1)).startsWith("[busy|" + (LENGTH + 1) + "|");
        assertThat(QueueEntries.claims(server, QUEUE)).filteredOn(other::equals).hasSize(2);
        assertThat(ask(1, 0)).startsWith("[busy|1|");
        assertThat(ask(1, 1)).startsWith("[busy|1|");
        server.ltrim(QUEUE, -3, -1);
        server.lpush(QUEUE, server.lindex(QUEUE, -1));
        assertThat(ask(1, 4)).as("the place of the second").startsWith("[busy|1|");
        server.eval(
                Script.WITHDRAW.text(),
                ScriptOutputType.MULTI,
                new String[] {LOCK, LOCK + ":token", QUEUE},
                other,
                "1|leasehold:inbox:|x");
        assertThat(QueueEntries.claims(server, QUEUE)).containsExactly("waiter:1202", "waiter:1203");
    }

    /** The waiter that it hears of is dead, the other lives. */
    @Test
    void ofTwoOfAClaimTheLivingOneKeepsItsPlace() {
        server.ltrim(QUEUE, 0, 39);
        server.rpush(QUEUE, "0000000000000001" + server.lindex(QUEUE, 1).substring(16));
        assertThat(ask(2, 41)).startsWith("[busy|2|");
        assertThat(QueueEntries.claims(server, QUEUE)).hasSize(40);
    }

    @Test
    void aWaiterWithdrawsFromAnyPlace() {
        for (int claim : new int[] {1, 499, 500, 501, 1000, 1001, LENGTH}) {
            Object found = server.eval(
                    Script.WITHDRAW.text(),
                    ScriptOutputType.MULTI,
                    new String[] {LOCK, LOCK + ":token", QUEUE},
                    "waiter:" + claim,
                    "1|leasehold:inbox:|x");
            assertThat(found.toString()).isEqualTo("[1]");
            assertThat(QueueEntries.claims(server, QUEUE)).doesNotContain("waiter:" + claim);
        }
        assertThat(server.llen(QUEUE)).isEqualTo(LENGTH - 7);
    }
}
