package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import dev.leasehold.spi.ClaimId;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a ballot rests on: the id of a master's replication history is another one wherever the process, or what it
 * remembers, may be. So a ballot need not look at the id of the run where that of the history is the marker's. Each case
 * brings the marker along, if it can, and finds the master without its vote.
 */
@Timeout(value = 60, unit = java.util.concurrent.TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MasterIdentityTest {

    private static final Pattern HISTORY = Pattern.compile("master_replid:([0-9a-f]{40})");
    private static final MarkerRules RULES = new MarkerRules(Duration.ofMinutes(1), false);

    private final List<RedisProcess> servers = new ArrayList<>();
    private long attempts;

    /** What the client was told when the master got its vote, and goes on naming. */
    private Marker told;

    @AfterEach
    void stop() {
        servers.forEach(RedisProcess::close);
    }

    private RedisProcess start(Version version, String... options) {
        String[] all = new String[options.length + 2];
        System.arraycopy(options, 0, all, 0, options.length);
        all[options.length] = "--repl-diskless-sync-delay";
        all[options.length + 1] = "0";
        RedisProcess server = RedisProcess.start(version, all);
        servers.add(server);
        return server;
    }

    private String vote(RedisProcess server) {
        String key = "leasehold:{x" + attempts++ + "}";
        long now = System.currentTimeMillis() * 1000;
        Ballot ballot = new Ballot("x", new ClaimId("c", attempts), now, 0, Duration.ofSeconds(10), Ballot.Kind.CLAIM);
        assertThat(told.suits(ballot)).isTrue();
        List<Object> answer = server.commands()
                .eval(
                        Script.VOTE.text(),
                        ScriptOutputType.MULTI,
                        new String[] {key, key + ":token", key + ":queue", MarkerRules.KEY},
                        WordsTest.arguments(new Papers("a test", RULES)
                                .of(ballot, now, "1|leasehold:inbox:|x")
                                .to(told)));
        String what = answer.get(0).toString();
        return answer.size() > 1 ? what : what.matches("\\d{16}") ? "yes" : "an answer that is none: " + what;
    }

    private void giveVote(RedisProcess server) {
        List<Object> answer = server.commands()
                .eval(Script.OPEN_QUORUM.text(), ScriptOutputType.MULTI, new String[] {MarkerRules.KEY}, RULES.text());
        assertThat(answer.get(0)).isEqualTo("opened");
        told = Marker.of(answer.get(2).toString(), RULES);
    }

    private RedisProcess withVote(Version version, String... options) {
        RedisProcess server = start(version, options);
        giveVote(server);
        assertThat(vote(server)).isEqualTo("yes");
        return server;
    }

    private static String history(RedisProcess server) {
        Matcher found = HISTORY.matcher(server.commands().info("replication"));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    private static void crash(RedisProcess server) {
        server.kill();
        server.restart();
        await().ignoreExceptions().until(() -> server.commands().ping().equals("PONG"));
    }

    private static void follow(RedisProcess replica, RedisProcess master) {
        replica.commands().replicaof("localhost", master.port());
        await().atMost(Duration.ofSeconds(20))
                .until(() -> replica.commands().info("replication").contains("master_link_status:up"));
    }

    private void hasLostItsVote(RedisProcess server, String before) {
        assertThat(server.commands().get(MarkerRules.KEY)).contains(before);
        assertThat(history(server)).isNotEqualTo(before);
        assertThat(vote(server)).isEqualTo("novote");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatWasKilledAndHasItsMarkerFromASnapshot(Version version) {
        RedisProcess server = withVote(version);
        String before = history(server);
        server.commands().save();
        crash(server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatWasKilledAndHasItsMarkerFromAnAppendOnlyFile(Version version) {
        RedisProcess server = withVote(version, "--appendonly", "yes", "--appendfsync", "always");
        String before = history(server);
        crash(server);
        hasLostItsVote(server, before);
    }

    /** With replicas a snapshot names the history, too. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterWithAReplicaThatWasKilledAndHasItsMarkerFromASnapshot(Version version) {
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
        await().until(() -> copy.commands().exists(MarkerRules.KEY) == 1);
        copy.commands().replicaofNoOne();
        follow(server, copy);
        server.commands().replicaofNoOne();
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaThatIsPromotedWithTheMarkerOfItsMaster(Version version) {
        RedisProcess master = start(version);
        RedisProcess replica = start(version);
        follow(replica, master);
        giveVote(master);
        String before = history(master);
        await().until(() -> replica.commands().exists(MarkerRules.KEY) == 1);
        assertThat(history(replica)).isEqualTo(before);
        replica.commands().replicaofNoOne();
        hasLostItsVote(replica, before);
        assertThat(vote(master)).isEqualTo("yes");
    }

    /** It takes its master's history from its snapshot. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaThatWasRestartedAndIsPromoted(Version version) {
        RedisProcess master = start(version);
        RedisProcess replica = start(version, "--replicaof", "127.0.0.1", Integer.toString(master.port()));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> replica.commands().info("replication").contains("master_link_status:up"));
        giveVote(master);
        String before = history(master);
        await().until(() -> replica.commands().exists(MarkerRules.KEY) == 1);
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
        await().until(() -> replica.commands().exists(MarkerRules.KEY) == 1);
        assertThat(history(replica)).isEqualTo(history(master));
        assertThat(vote(replica)).isEqualTo("novote");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatIsFlushedWhileOneThatForgetsItsScriptsKeepsItsVote(Version version) {
        RedisProcess server = withVote(version);
        server.commands().scriptFlush();
        assertThat(vote(server)).isEqualTo("yes");
        server.commands().flushall();
        assertThat(vote(server)).isEqualTo("novote");
    }
}
