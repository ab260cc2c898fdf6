package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A vote rests on this: the id of a master's replication history changes wherever the process or its memory may have
 * changed. Each case brings the marker along, if it can, and finds the master without its vote.
 */
@Tag("slow")
public class MasterIdentityTest extends VotingMasters {

    @ParameterizedTest
    @EnumSource(Version.class)
    void aKilledMasterWithAMarkerFromASnapshot(Version version) {
        RedisProcess server = withVote(version);
        String before = history(server);
        server.commands().save();
        crash(server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aKilledMasterWithAMarkerFromAnAppendOnlyFile(Version version) {
        RedisProcess server = withVote(version, "--appendonly", "yes", "--appendfsync", "always");
        String before = history(server);
        crash(server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @CsvSource({"V6_2, yes", "V6_2, no", "V7_0, yes", "V7_0, no"})
    void aKilledMasterWithAMarkerFromARewrittenFile(Version version, String preamble) {
        RedisProcess server =
                withVote(version, "--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", preamble);
        String before = history(server);
        server.commands().bgrewriteaof();
        await().until(() -> {
            String info = server.commands().info("persistence");
            return info.contains("aof_rewrite_in_progress:0")
                    && info.contains("aof_rewrite_scheduled:0")
                    && info.contains("aof_last_bgrewrite_status:ok");
        });
        crash(server);
        hasLostItsVote(server, before);
    }

    /** With replicas a snapshot names the history, too. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aKilledMasterOfAReplicaWithAMarkerFromASnapshot(Version version) {
        RedisProcess server = start(version);
        follow(start(version), server);
        giveVote(server);
        String before = history(server);
        server.commands().save();
        crash(server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatWasAReplicaForAWhile(Version version) {
        RedisProcess copy = start(version);
        RedisProcess server = start(version);
        follow(copy, server);
        giveVote(server);
        String before = history(server);
        await().until(() -> copy.commands().exists("leasehold:quorum") == 1);
        copy.commands().replicaofNoOne();
        copy.commands().set("written", "elsewhere");
        follow(server, copy);
        await().until(() -> server.commands().exists("written") == 1);
        server.commands().replicaofNoOne();
        hasLostItsVote(server, before);
    }

    /** Its disk is trusted, not that of another that it was made to follow: it came back at once, and had forgotten. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aTrustedMasterThatWasAReplicaForAWhile(Version version) {
        rules = TRUSTING;
        aMasterThatWasAReplicaForAWhile(version);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaPromotedInPlaceOfATrustedMaster(Version version) {
        rules = TRUSTING;
        aPromotedReplicaWithTheMarkerOfItsMaster(version);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aTrustedDiskExcusesARestartAndNotAFlush(Version version) {
        rules = TRUSTING;
        RedisProcess server = withVote(version, "--appendonly", "yes", "--appendfsync", "always");
        String before = history(server);
        crash(server);
        assertThat(history(server)).isNotEqualTo(before);
        assertThat(vote(server)).isEqualTo("yes");
        server.commands().flushall();
        assertThat(vote(server)).isEqualTo("novote");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatGetsItsFirstReplica(Version version) {
        RedisProcess server = withVote(version);
        String before = history(server);
        follow(start(version), server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aPromotedReplicaWithTheMarkerOfItsMaster(Version version) {
        RedisProcess master = start(version);
        RedisProcess replica = start(version);
        follow(replica, master);
        giveVote(master);
        String before = history(master);
        await().until(() -> replica.commands().exists("leasehold:quorum") == 1);
        assertThat(history(replica)).isEqualTo(before);
        replica.commands().replicaofNoOne();
        hasLostItsVote(replica, before);
        assertThat(vote(master)).isEqualTo("yes");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aPromotedReplicaWithAllThatItsMasterSaved(Version version) {
        RedisProcess master = withVote(version);
        String before = history(master);
        RedisProcess replica = start(version);
        follow(replica, master);
        replica.commands().replicaofNoOne();
        hasLostItsVote(replica, before);
    }

    /** It takes its master's history from its snapshot. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaThatWasRestartedAndIsPromoted(Version version) {
        RedisProcess master = start(version);
        RedisProcess replica = start(version, "--replicaof", "127.0.0.1", Integer.toString(master.port()));
        await().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
        giveVote(master);
        String before = history(master);
        await().until(() -> replica.commands().exists("leasehold:quorum") == 1);
        replica.commands().save();
        master.kill();
        crash(replica);
        assertThat(history(replica)).isEqualTo(before);
        replica.commands().replicaofNoOne();
        hasLostItsVote(replica, before);
    }

    /** The history that it tells of, and the marker, are its master's: only that it is no master tells it from that. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaThatMayBeWritten(Version version) {
        RedisProcess master = start(version);
        RedisProcess replica = start(version, "--replica-read-only", "no");
        follow(replica, master);
        giveVote(master);
        await().until(() -> replica.commands().exists("leasehold:quorum") == 1);
        assertThat(history(replica)).isEqualTo(history(master));
        assertThat(vote(replica)).isEqualTo("novote");
        assertThat(vote(replica)).isEqualTo("novote");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aFlushTakesTheVoteAndForgottenScriptsDoNot(Version version) {
        RedisProcess server = withVote(version);
        server.commands().scriptFlush();
        assertThat(vote(server)).isEqualTo("yes");
        server.commands().flushall();
        assertThat(vote(server)).isEqualTo("novote");
    }
}
