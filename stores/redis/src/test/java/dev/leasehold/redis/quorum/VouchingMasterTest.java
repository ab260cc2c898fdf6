package dev.leasehold.redis.quorum;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SecurityTest;
import dev.leasehold.redis.script.Script;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A master writes a voucher, and votes by one, only where it can show that it has written the voucher itself, under its own
 * history. Each case is a server that cannot show it, and looks at its marker instead.
 */
@Tag("slow")
public class VouchingMasterTest extends VotingMasters {

    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaOfAMasterHasNoVoucher(Version version) {
        RedisProcess copy = start(version);
        RedisProcess server = start(version);
        follow(copy, server);
        giveVote(server);
        await().until(() -> copy.commands().exists("leasehold:quorum") == 1);
        assertThat(copy.commands().exists(voucher)).isZero();
        copy.commands().replicaofNoOne();
        await().until(() -> server.commands().info("replication").contains("connected_slaves:0"));
        assertThat(vote(server)).isEqualTo("vouched");
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
        voucher = "leasehold:quorum:voucher:";
        assertThat(ask(server, Script.VOTE.text())).hasSize(6).startsWith("yes").endsWith(0L);
        assertThat(server.commands().keys(voucher + "*")).isEmpty();
    }
}
