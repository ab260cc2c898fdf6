package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.script.EncodedArgsTest;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.Script;
import dev.leasehold.redis.voter.BallotEncoder;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import dev.leasehold.spi.ClaimId;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;

/** VotingMasters starts real masters of a quorum, gives them their vote, and asks them with ballots. */
abstract class VotingMasters {

    private static final Pattern HISTORY = Pattern.compile("master_replid:([0-9a-f]{40})");
    static final String KEY = "leasehold:{x}";
    static final MarkerRules TRUSTING = new MarkerRules(Duration.ofMinutes(1), true, KeyNames.ROOT);

    final List<RedisProcess> servers = new ArrayList<>();
    private long attempts;
    MarkerRules rules = new MarkerRules(Duration.ofMinutes(1), false, KeyNames.ROOT);

    @AfterEach
    void stop() {
        servers.forEach(RedisProcess::close);
    }

    RedisProcess start(Version version, String... options) {
        String[] all = new String[options.length + 2];
        System.arraycopy(options, 0, all, 0, options.length);
        all[options.length] = "--repl-diskless-sync-delay";
        all[options.length + 1] = "0";
        RedisProcess server = RedisProcess.start(version, all);
        servers.add(server);
        return server;
    }

    /** Asks for a lock that is free and was held before. */
    String vote(RedisProcess server) {
        server.commands().del(KEY);
        return ask(server, Script.VOTE.text()).get(0).toString();
    }

    List<Object> ask(RedisProcess server, String script) {
        return ask(server.commands(), script);
    }

    List<Object> ask(RedisCommands<String, String> server, String script) {
        return ask(server, script, Duration.ZERO);
    }

    List<Object> ask(RedisCommands<String, String> server, String script, Duration ahead) {
        ClaimId attempt = new ClaimId("c", ++attempts);
        long now = (System.currentTimeMillis() + ahead.toMillis()) * 1000 + attempts;
        Ballot ballot = new Ballot("x", attempt, false, now, 0, Duration.ofSeconds(10), Ballot.Kind.CLAIM);
        return server.eval(
                script,
                ScriptOutputType.MULTI,
                new String[] {KEY, KEY + ":token", KEY + ":queue", "leasehold:quorum"},
                EncodedArgsTest.arguments(
                        List.of(new BallotEncoder("a test", rules).of(ballot, now, "1|leasehold:inbox:|x"))));
    }

    void openQuorum(RedisProcess server) {
        List<Object> opened = server.commands()
                .eval(
                        Script.OPEN_QUORUM.text(),
                        ScriptOutputType.MULTI,
                        new String[] {"leasehold:quorum"},
                        rules.text());
        assertThat(opened.get(0)).isEqualTo("opened");
    }

    void giveVote(RedisProcess server) {
        openQuorum(server);
        assertThat(vote(server)).isEqualTo("yes");
    }

    RedisProcess withVote(Version version, String... options) {
        RedisProcess server = start(version, options);
        giveVote(server);
        return server;
    }

    static String history(RedisProcess server) {
        Matcher found = HISTORY.matcher(server.commands().info("replication"));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    static void crash(RedisProcess server) {
        server.kill();
        server.restart();
        await().ignoreExceptions().until(() -> server.commands().ping().equals("PONG"));
    }

    static void follow(RedisProcess replica, RedisProcess master) {
        replica.commands().replicaof("localhost", master.port());
        await().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
    }

    void hasLostItsVote(RedisProcess server, String before) {
        assertThat(server.commands().get("leasehold:quorum")).contains(before);
        assertThat(history(server)).isNotEqualTo(before);
        assertThat(vote(server)).isEqualTo("novote");
    }
}
