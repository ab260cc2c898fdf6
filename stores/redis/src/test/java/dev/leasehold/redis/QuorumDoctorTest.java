package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.testtools.Findings.codes;
import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.redis.doctor.NodeFacts;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * These tests are about examinations of quorums of real servers: for each finding one that gives it and one that does not.
 */
@Tag("slow")
class QuorumDoctorTest {

    private static RedlockStore over(Masters masters) {
        return over(masters.uris());
    }

    private static RedlockStore over(List<RedisURI> masters) {
        return RedlockStore.of(masters).withNodeTimeout(Duration.ofSeconds(1));
    }

    private static Examination examine(RedlockStore store) throws InterruptedException {
        try (Leasehold client = Leasehold.builder()
                .store(store)
                .storeTimeout(Duration.ofMillis(2500))
                .build()) {
            return client.examine();
        }
    }

    @Test
    void mastersThatForgetAreFineAsTheyHaveNoVoteThen() throws Exception {
        try (Masters masters = Masters.start(3)) {
            over(masters).initialize();
            Examination seen = examine(over(masters));

            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.WARNING)).containsExactly("redlock-same-host");
            assertThat(codes(seen, Severity.NOTE)).isEmpty();
            assertThat(codes(seen, Severity.FINE))
                    .contains(
                            "redis-rights",
                            "redis-version",
                            "redlock-clocks",
                            "redlock-independent",
                            "redlock-masters",
                            "redlock-restart",
                            "redlock-vote",
                            "trial");
            assertThat(the("redlock-masters", seen).what()).isEqualTo("3 masters, 1 may fail");
            assertThat(the("redlock-restart", seen).what()).contains("no vote for 63 s");
            assertThat(seen.findings().stream().filter(finding -> finding.code().equals("redis-rights")))
                    .extracting(Finding::node)
                    .containsExactlyInAnyOrderElementsOf(
                            masters.servers.stream().map(RedisProcess::uri).toList());
            assertThat(seen.verdict()).contains("under every fault that was looked for");
        }
    }

    @Test
    void mastersWithoutAVoteOrOutOfReachAreNamed() throws Exception {
        try (Masters masters = Masters.start(3)) {
            over(masters).initialize();
            masters.servers.get(0).commands().flushall();
            Examination one = examine(over(masters));
            assertThat(codes(one, Severity.SERIOUS)).isEmpty();
            assertThat(the("redlock-no-vote", one).node())
                    .isEqualTo(masters.servers.get(0).uri());
            assertThat(the("redlock-no-vote", one).what()).containsPattern("no vote for another (5\\d|6[0-3]) s");

            masters.servers.get(1).kill();
            Examination two = examine(over(masters));
            assertThat(the("redlock-master-unreached", two).node())
                    .isEqualTo(masters.servers.get(1).uri());
            assertThat(the("redlock-master-unreached", two).severity()).isEqualTo(Severity.WARNING);
            assertThat(codes(two, Severity.SERIOUS)).containsExactly("redlock-no-majority", "trial-failed");
            assertThat(the("redlock-no-majority", two).what()).isEqualTo("1 of 3 masters have a vote");

            masters.servers.get(2).kill();
            assertThat(the("redlock-master-unreached", examine(over(masters))).severity())
                    .isEqualTo(Severity.SERIOUS);
            masters.servers.get(0).kill();
            assertThatThrownBy(() -> examine(over(masters)))
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            e -> assertThat(e.nodes()).hasSize(3))
                    .hasMessageContaining("no master of redlock://")
                    .hasRootCauseInstanceOf(ConnectException.class);
        }
    }

    @Test
    void oneServerUnderTwoNamesAndAnEvenNumberAreSeen() throws Exception {
        try (Masters masters = Masters.start(3)) {
            List<RedisURI> four = new ArrayList<>(masters.uris());
            four.add(RedisURI.create(
                    "redis://127.0.0.1:" + masters.servers.get(0).port()));
            Examination seen = examine(over(four));
            assertThat(the("redlock-same-server", seen).what())
                    .isEqualTo(masters.servers.get(0).uri() + " and redis://127.0.0.1:"
                            + masters.servers.get(0).port() + " are one server");
            assertThat(the("redlock-even", seen).what()).isEqualTo("4 masters, 1 may fail");

            assertThat(the("redlock-no-spare", examine(over(masters.uris().subList(0, 1))))
                            .what())
                    .isEqualTo("1 master, all of which have to be up");
        }
    }

    @Test
    void aMasterThatIsNotAloneIsAWarning() throws Exception {
        try (Masters masters = Masters.start(3);
                RedisProcess replica = RedisProcess.start(
                        "--replicaof", "127.0.0.1 " + masters.servers.get(0).port())) {
            masters.servers.get(0).commands().configSet("repl-diskless-sync-delay", "0");
            over(masters).initialize();
            await().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
            Examination seen = examine(over(masters));
            assertThat(the("redlock-replicas", seen).node())
                    .isEqualTo(masters.servers.get(0).uri());
            assertThat(seen.verdict()).contains("except after: a fail-over of a master whose old server still answers");

            List<RedisURI> wrong = new ArrayList<>(masters.uris());
            wrong.set(0, RedisURI.create(replica.uri()));
            Examination named = examine(over(wrong));
            assertThat(the("redlock-not-a-master", named).node()).isEqualTo(replica.uri());
            assertThat(the("redlock-not-a-master", named).severity()).isEqualTo(Severity.WARNING);
            assertThat(the("trial", named).severity()).isEqualTo(Severity.FINE);
        }
    }

    @Test
    void persistenceIsTrustedOnlyWithEveryWriteOnDisk() throws Exception {
        try (Masters masters = Masters.start(3)) {
            RedlockStore trusting = over(masters).withTrustedPersistence();
            trusting.initialize();
            Examination seen = examine(trusting);
            assertThat(the("redlock-trust-misplaced", seen).what()).contains("keeps no append-only file");
            assertThat(seen.verdict()).contains("except after: a restart of a master");

            for (RedisProcess server : masters.servers) {
                server.commands().configSet("appendonly", "yes");
            }
            assertThat(the("redlock-trust-misplaced", examine(trusting)).what()).contains("appendfsync is everysec");
            for (RedisProcess server : masters.servers) {
                server.commands().configSet("appendfsync", "always");
            }
            Examination safe = examine(trusting);
            assertThat(codes(safe, Severity.WARNING)).containsExactly("redlock-same-host");
            assertThat(codes(safe, Severity.FINE)).contains("redlock-trust");
        }
    }

    @Test
    void mastersThatGoByOtherRulesAreSerious() throws Exception {
        try (Masters masters = Masters.start(3)) {
            over(masters).withMaxLease(Duration.ofHours(1)).initialize();
            Examination seen = examine(over(masters));
            assertThat(codes(seen, Severity.SERIOUS))
                    .containsExactly("redlock-no-majority", "redlock-rules-differ", "trial-failed");
            assertThat(the("redlock-rules-differ", seen).what())
                    .contains("maxLeaseDuration=60000ms", "LEASEHOLD_QUORUM 3600000 0");
        }
    }

    @Test
    void theLeastPrivilegedUserOpensUsesAndExaminesAQuorum() throws Exception {
        try (Masters masters = Masters.start(3)) {
            for (RedisProcess server : masters.servers) {
                CommandArgs<String, String> user = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
                for (String rule : ("app on >pw " + SecurityTest.LEAST).split(" ")) {
                    user.add(rule);
                }
                server.commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user);
            }
            List<RedisURI> uris = masters.servers.stream()
                    .map(server -> RedisURI.create("redis://app:pw@localhost:" + server.port()))
                    .toList();
            over(uris).initialize();
            Examination seen = examine(over(uris));
            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.FINE)).contains("redis-rights", "redlock-vote", "trial");
            assertThat(seen.toString()).doesNotContain("pw@");
            assertThat(over(uris).votes()).allMatch(MasterVote::hasVote);
        }
    }

    @Test
    void mastersThatCannotBeHadHere() {
        QuorumFindings five = new QuorumFindings("q", 5, new MarkerRules(Duration.ofSeconds(60), true, KeyNames.ROOT));
        assertThat(five.clocks(List.of(at("a", 0), at("b", 10), at("c", -20_000_000), at("d", 31_000_000), at("e", 5))))
                .extracting(Finding::node, Finding::code, Finding::severity)
                .containsExactly(
                        tuple("a", "redlock-clocks", Severity.FINE),
                        tuple("b", "redlock-clocks", Severity.FINE),
                        tuple("c", "redlock-clocks-apart", Severity.NOTE),
                        tuple("d", "redlock-clocks-apart", Severity.WARNING));
        assertThat(five.sameHost(Map.of("a", "10.0.0.1", "b", "10.0.0.1", "c", "10.0.0.2")))
                .extracting(Finding::severity)
                .containsExactly(Severity.NOTE);
        NodeFacts unseen = facts("a", Map.of("aof_enabled", "1", "role", "master"), 0);
        assertThat(five.of(unseen)).extracting(Finding::code).contains("redlock-trust-not-seen");
        assertThat(five.of(facts("a", Map.of("aof_enabled", "1", "aof_last_write_status", "err"), 0)))
                .extracting(Finding::code)
                .contains("redis-disk-fails");
    }

    private static NodeFacts at(String node, long ahead) {
        return facts(node, Map.of(), ahead);
    }

    private static NodeFacts facts(String node, Map<String, String> info, long ahead) {
        return new NodeFacts(node, info, Map.of(), ahead, 400, Duration.ofMillis(1), Duration.ofMillis(1));
    }
}
