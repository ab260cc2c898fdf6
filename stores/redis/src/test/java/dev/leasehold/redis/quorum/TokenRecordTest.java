package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.Script;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The record of the last token lives for two days, but a lease of a quorum may last for seven. What a master gives out without a
 * record is above what it can have given out before the record ended: it was a day ahead of its clock then, at most, and is a day behind it at most now.
 */
@Tag("slow")
class TokenRecordTest extends VotingMasters {

    @ParameterizedTest
    @CsvSource({"-36, stale", "-23, yes", "23, yes", "36, far"})
    void withoutARecordTokensAreWithinADayOfTheClock(int hours, String answer) {
        rules = new MarkerRules(Duration.ofDays(7), false, KeyNames.ROOT);
        RedisProcess server = start(Version.V7_0);
        openQuorum(server);
        assertThat(ask(server.commands(), Script.VOTE.text(), Duration.ofHours(hours)))
                .startsWith(answer);
    }
}
