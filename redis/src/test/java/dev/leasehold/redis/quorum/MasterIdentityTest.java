package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leasehold.redis.SecurityTest;
import dev.leasehold.redis.script.EncodedArgsTest;
import dev.leasehold.redis.script.Script;
import dev.leasehold.redis.voter.BallotEncoder;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import dev.leasehold.spi.ClaimId;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A vote rests on two facts: the id of a master's replication history changes wherever the process or its memory may have
 * changed; and a voucher ends with the memory of the master that gave it, even where its text is still there. Each case
 * brings the marker along, if it can, and the voucher, which is made to live for much longer than it should; and finds the
 * master without its vote.
 */
@Timeout(value = 60, unit = java.util.concurrent.TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class MasterIdentityTest {

    private static final Pattern HISTORY = Pattern.compile("master_replid:([0-9a-f]{40})");
    private static final String KEY = "leasehold:{x}";
    private static final MarkerRules TRUSTING = new MarkerRules(Duration.ofMinutes(1), true);

    private final List<RedisProcess> servers = new ArrayList<>();
    private long attempts;
    private String voucher = MarkerRules.KEY + ":voucher:";
    private MarkerRules rules = new MarkerRules(Duration.ofMinutes(1), false);

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

    /** Asks for a lock that is free and was held before; names the voucher. */
    private String vote(RedisProcess server) {
        server.commands().del(KEY);
        List<Object> answer = ask(server, Script.VOTE.text());
        return answer.size() > 1 ? answer.get(0).toString() : answer.equals(List.of(1L)) ? "vouched" : "nonsense";
    }

    private List<Object> ask(RedisProcess server, String script) {
        return ask(server.commands(), script);
    }

    private List<Object> ask(RedisCommands<String, String> server, String script) {
        ClaimId attempt = new ClaimId("c", ++attempts);
        long now = System.currentTimeMillis() * 1000 + attempts;
        Ballot ballot = new Ballot("x", attempt, false, now, 0, Duration.ofSeconds(10), Ballot.Kind.CLAIM);
        return server.eval(
                script,
                ScriptOutputType.MULTI,
                new String[] {KEY, KEY + ":token", KEY + ":queue", voucher},
                EncodedArgsTest.arguments(
                        List.of(new BallotEncoder("a test", rules).of(ballot, now, "1|leasehold:inbox:|x"))));
    }

    private void openQuorum(RedisProcess server) {
        List<Object> opened = server.commands()
                .eval(Script.OPEN_QUORUM.text(), ScriptOutputType.MULTI, new String[] {MarkerRules.KEY}, rules.text());
        assertThat(opened.get(0)).isEqualTo("opened");
        voucher = MarkerRules.KEY + ":voucher:" + history(server) + ":c:1";
    }

    /** It vouches the second time, and goes on doing so, unless something happens. */
    private void giveVote(RedisProcess server) {
        openQuorum(server);
        assertThat(ask(server, Script.VOTE.text())).hasSize(6).startsWith("yes").endsWith(1L);
        assertThat(server.commands().pttl(voucher)).isBetween(1L, 1000L);
        server.commands().persist(voucher);
        assertThat(vote(server)).isEqualTo("vouched");
    }

    private RedisProcess withVote(Version version, String... options) {
        RedisProcess server = start(version, options);
        giveVote(server);
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

    /** The text is the voucher's, and the form is that of numbers: never {@code raw}, whichever way it was loaded. */
    private void hasLoadedItsVoucherAsANumber(RedisProcess server) {
        assertThat(server.commands().get(voucher)).isEqualTo("1");
        assertThat(server.commands().objectEncoding(voucher)).isEqualTo("int");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aKilledMasterWithAMarkerFromASnapshot(Version version) {
        RedisProcess server = withVote(version);
        String before = history(server);
        server.commands().save();
        crash(server);
        hasLoadedItsVoucherAsANumber(server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aKilledMasterWithAMarkerFromAnAppendOnlyFile(Version version) {
        RedisProcess server = withVote(version, "--appendonly", "yes", "--appendfsync", "always");
        String before = history(server);
        crash(server);
        assertThat(server.commands().exists(voucher)).isZero();
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
        hasLoadedItsVoucherAsANumber(server);
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
        await().until(() -> copy.commands().exists(MarkerRules.KEY) == 1);
        copy.commands().replicaofNoOne();
        copy.commands().set("written", "elsewhere");
        follow(server, copy);
        await().until(() -> server.commands().exists("written") == 1);
        server.commands().replicaofNoOne();
        hasItsVoucherAsItWasWritten(server);
        hasLostItsVote(server, before);
    }

    /** It has loaded nothing: it followed the copy from where the two had parted. */
    private void hasItsVoucherAsItWasWritten(RedisProcess server) {
        assertThat(server.commands().objectEncoding(voucher)).isEqualTo("raw");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aVoucherOfAnotherHistoryNeverCountsAgain(Version version) {
        aMasterThatWasAReplicaForAWhile(version);
        RedisProcess server = servers.get(1);
        String marker = server.commands().get(MarkerRules.KEY);
        assertThat(marker).contains(history(server));
        long longAgo = System.currentTimeMillis() * 1000 - 100_000_000;
        server.commands().set(MarkerRules.KEY, marker.replaceFirst("\\d{16}\\|", longAgo + "|"));
        assertThat(vote(server)).isEqualTo("yes");
        hasItsVoucherAsItWasWritten(server);
        assertThat(vote(server)).isEqualTo("yes");
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
    void aReplicaOfAMasterHasNoVoucher(Version version) {
        RedisProcess copy = start(version);
        RedisProcess server = start(version);
        follow(copy, server);
        giveVote(server);
        await().until(() -> copy.commands().exists(MarkerRules.KEY) == 1);
        assertThat(copy.commands().exists(voucher)).isZero();
        copy.commands().replicaofNoOne();
        await().until(() -> server.commands().info("replication").contains("connected_slaves:0"));
        assertThat(vote(server)).isEqualTo("vouched");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatGetsItsFirstReplica(Version version) {
        RedisProcess server = withVote(version);
        String before = history(server);
        follow(start(version), server);
        hasItsVoucherAsItWasWritten(server);
        hasLostItsVote(server, before);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void noMasterVouchesUnderAHistoryThatIsNotItsOwn(Version version) {
        RedisProcess server = withVote(version);
        server.commands().del(KEY, voucher);
        voucher = voucher.replaceFirst("[0-9a-f]{4}", "0000");
        assertThat(ask(server, Script.VOTE.text())).hasSize(6).startsWith("yes").endsWith(0L);
        assertThat(server.commands().exists(voucher)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaThatHasNotFoundItsMasterYetDoesNotVouch(Version version) {
        RedisProcess nobody = start(version);
        int port = nobody.port();
        nobody.kill();
        RedisProcess server =
                start(version, "--replica-read-only", "no", "--replicaof", "127.0.0.1", Integer.toString(port));
        openQuorum(server);
        assertThat(ask(server, Script.VOTE.text())).hasSize(6).startsWith("yes").endsWith(0L);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aPromotedReplicaWithTheMarkerOfItsMaster(Version version) {
        RedisProcess master = start(version);
        RedisProcess replica = start(version);
        follow(replica, master);
        giveVote(master);
        String before = history(master);
        await().until(() -> replica.commands().exists(MarkerRules.KEY) == 1);
        assertThat(history(replica)).isEqualTo(before);
        replica.commands().replicaofNoOne();
        hasLostItsVote(replica, before);
        assertThat(vote(master)).isEqualTo("vouched");
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aPromotedReplicaWithAllThatItsMasterSaved(Version version) {
        RedisProcess master = withVote(version);
        String before = history(master);
        RedisProcess replica = start(version);
        follow(replica, master);
        replica.commands().replicaofNoOne();
        hasLoadedItsVoucherAsANumber(replica);
        hasLostItsVote(replica, before);
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
        // A voucher is sent to no replica; this one is made by hand.
        replica.commands().setrange(voucher, 0, "1");
        assertThat(vote(replica)).isEqualTo("novote");
        replica.commands().del(voucher);
        // Even with a marker of its own that is old enough it does not vouch: what it has comes from elsewhere.
        String marker = replica.commands().get(MarkerRules.KEY);
        long longAgo = System.currentTimeMillis() * 1000 - 100_000_000;
        replica.commands().set(MarkerRules.KEY, marker.replaceFirst("\\d{16}\\|", longAgo + "|"));
        assertThat(ask(replica, Script.VOTE.text()))
                .hasSize(6)
                .startsWith("yes")
                .endsWith(0L);
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aFlushTakesTheVoteAndForgottenScriptsDoNot(Version version) {
        RedisProcess server = withVote(version);
        server.commands().scriptFlush();
        assertThat(vote(server)).isEqualTo("vouched");
        server.commands().flushall();
        assertThat(vote(server)).isEqualTo("novote");
    }

    /** Here only that what was loaded is no voucher: the run, the history and the marker are the same. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aMasterThatLoadsItsDataAnewLooksAtItsIdsAgain(Version version) {
        RedisProcess server = withVote(version);
        server.commands().debugReload();
        hasLoadedItsVoucherAsANumber(server);
        assertThat(vote(server)).isEqualTo("yes");
    }

    /** An operator puts a key back. */
    @ParameterizedTest
    @EnumSource(Version.class)
    void aVoucherThatIsRestoredFromADumpIsNone(Version version) {
        RedisProcess server = withVote(version);
        hasItsVoucherAsItWasWritten(server);
        byte[] dumped = server.commands().dump(voucher);
        server.commands().del(voucher);
        server.commands().restore(voucher, 0, dumped);
        hasLoadedItsVoucherAsANumber(server);
        assertThat(vote(server)).isEqualTo("yes");
    }

    /** A server for which all texts are of one form cannot show that it has loaded nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"'raw'", "'embstr'", "{err = 'NOPERM this user may not'}"})
    void aServerThatDoesNotTellFormsApartDoesNotVouch(String form) {
        RedisProcess server = withVote(Version.V7_0);
        server.commands().del(KEY, voucher);
        String stub = """
                local redis = setmetatable({pcall = function(name, ...)
                  if name == 'OBJECT' then return redis.pcall(name, ...) and %s end
                  return redis.pcall(name, ...)
                end}, {__index = redis})
                """.formatted(form);
        List<Object> answer = ask(server, stub + Script.VOTE.text());
        assertThat(answer).hasSize(6).startsWith("yes").endsWith(0L);
        assertThat(server.commands().exists(voucher)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aUserThatMayNotReadEncodingsGetsNoVoucher(Version version) {
        RedisProcess server = withVote(version);
        RedisURI uri = RedisURI.create("redis://app:pw@localhost:" + server.port());
        try (RedisClient client = RedisClient.create(uri)) {
            for (long vouched = 0; vouched < 2; vouched++) {
                SecurityTest.setUser(
                        server, "app on >pw " + SecurityTest.LEAST + (vouched == 0 ? "" : " +object|encoding"));
                server.commands().del(KEY, voucher);
                RedisCommands<String, String> app = client.connect().sync();
                assertThat(ask(app, Script.VOTE.text()))
                        .hasSize(6)
                        .startsWith("yes")
                        .endsWith(vouched);
                assertThat(server.commands().exists(voucher)).isEqualTo(vouched);
                app.del(KEY);
                assertThat(ask(app, Script.VOTE.text())).hasSize(vouched == 0 ? 6 : 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aBallotThatAsksForNoVoucherLeavesNone(Version version) {
        RedisProcess server = withVote(version);
        server.commands().del(KEY, voucher);
        voucher = MarkerRules.KEY + ":voucher:";
        assertThat(ask(server, Script.VOTE.text())).hasSize(6).startsWith("yes").endsWith(0L);
        assertThat(server.commands().keys(voucher + "*")).isEmpty();
    }
}
