package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.script.Script;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No replication history stands for two runs of a master, whatever it keeps on its disk: each start, promotion and return
 * makes a new one. So a master reads one section of what a server tells of itself with each ballot, and not two.
 */
@Tag("slow")
class OneRunTest extends VotingMasters {

    private static final List<String> NOTHING_BUT_SNAPSHOTS = List.of();
    private static final List<String> ALL_APPENDED = List.of("--appendonly", "yes", "--appendfsync", "always");
    private static final List<String> ALL_APPENDED_AS_COMMANDS = Stream.concat(
                    ALL_APPENDED.stream(), Stream.of("--aof-use-rdb-preamble", "no"))
            .toList();

    private final Set<String> seen = new HashSet<>();

    static Stream<Arguments> versionsAndDisks() {
        return Stream.of(Version.values())
                .flatMap(version -> Stream.of(NOTHING_BUT_SNAPSHOTS, ALL_APPENDED, ALL_APPENDED_AS_COMMANDS)
                        .map(disk -> Arguments.of(version, disk)));
    }

    @ParameterizedTest
    @MethodSource("versionsAndDisks")
    void noHistoryStandsForTwoRuns(Version version, List<String> disk) {
        RedisProcess one = start(version, disk.toArray(String[]::new));
        RedisProcess other = start(version, disk.toArray(String[]::new));
        hasANewHistory(one);
        hasANewHistory(other);
        for (int round = 0; round < 2; round++) {
            follow(other, one);
            // Its first replica has perhaps given it another.
            seen.add(history(one));
            other.commands().save();
            crash(other);
            // It has loaded what names the history of its master.
            hasANewHistory(other);
            follow(other, one);
            seen.add(history(one));
            other.commands().replicaofNoOne();
            hasANewHistory(other);
            follow(one, other);
            seen.add(history(other));
            one.commands().replicaofNoOne();
            hasANewHistory(one);
            one.commands().save();
            crash(one);
            hasANewHistory(one);
            crash(one);
            hasANewHistory(one);
            other.commands().save();
            crash(other);
            hasANewHistory(other);
        }
    }

    private void hasANewHistory(RedisProcess master) {
        assertThat(master.commands().info("replication")).contains("role:master");
        assertThat(seen.add(history(master))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aBallotForAFreeLockTakesTheShortCut(Version version) {
        RedisProcess server = withVote(version);
        server.commands().configResetstat();
        assertThat(vote(server)).isEqualTo("yes");
        // The rest of the script reads the last token by MGET.
        assertThat(server.commands().info("commandstats"))
                .contains("cmdstat_info:calls=1,")
                .doesNotContain("cmdstat_mget:");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aBallotForAHeldLockReadsTheHistoryAlone(Version version) {
        RedisProcess server = withVote(version);
        server.commands().configResetstat();
        assertThat(ask(server, Script.VOTE.text())).startsWith("busy");
        assertThat(server.commands().info("commandstats")).contains("cmdstat_info:calls=1,");
    }
}
