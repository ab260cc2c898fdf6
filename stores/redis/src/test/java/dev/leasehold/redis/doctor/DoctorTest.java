package dev.leasehold.redis.doctor;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.testtools.Findings.codes;
import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.architecture.Pages;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.redis.SecurityTest;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Findings;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about examinations of real servers: for each finding one that gives it and one that does not. */
@Tag("slow")
class DoctorTest {

    @Test
    void aServerThatForgetsNothingHasNothingWorseThanANote() throws Exception {
        try (RedisProcess redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always")) {
            Examination seen = Findings.examine(redis.uri());

            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.WARNING)).isEmpty();
            assertThat(codes(seen, Severity.NOTE)).containsExactly("redis-no-replica");
            assertThat(codes(seen, Severity.FINE))
                    .contains(
                            "redis-clock",
                            "redis-closed",
                            "redis-fsync-always",
                            "redis-latency",
                            "redis-memory",
                            "redis-rights",
                            "redis-version",
                            "trial");
            assertThat(the("redis-version", seen).what()).matches("(Redis|Valkey) [0-9.]+");
            assertThat(seen.verdict()).contains("under every fault that was looked for", "refuse smaller tokens");
            assertThat(redis.commands().keys("*")).containsExactly("leasehold:{leasehold-doctor}:token");

            redis.commands().configSet("appendfsync", "everysec");
            seen = Findings.examine(redis.uri());
            assertThat(codes(seen, Severity.NOTE)).contains("redis-fsync-everysec");
            assertThat(seen.verdict()).contains("except after: a crash of the server's machine. Then", "fenced only");

            redis.commands().configSet("appendfsync", "no");
            assertThat(codes(Findings.examine(redis.uri()), Severity.WARNING)).containsExactly("redis-fsync-no");
        }
    }

    @Test
    void evictionAndForgettingAreNamedOnAnOlderServer() throws Exception {
        try (RedisProcess redis = RedisProcess.start(
                Version.V6_2, "--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru", "--protected-mode", "no")) {
            Examination seen = Findings.examine(redis.uri());

            assertThat(codes(seen, Severity.SERIOUS)).containsExactly("redis-evicts");
            assertThat(codes(seen, Severity.WARNING)).containsExactly("redis-no-persistence", "redis-open");
            assertThat(seen.worst()).isEqualTo(Severity.SERIOUS);
            assertThat(seen.verdict()).startsWith("Do not rely on locks here");
            assertThat(the("redis-evicts", seen).remedy()).contains("noeviction");

            redis.commands().configSet("maxmemory-policy", "noeviction");
            redis.commands().configSet("save", "3600 1");
            redis.commands().configSet("protected-mode", "yes");
            seen = Findings.examine(redis.uri());
            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.WARNING)).containsExactly("redis-snapshots-only");
            assertThat(seen.verdict()).contains("a crash of the server");

            redis.commands().configSet("maxmemory", "1mb");
            assertThat(codes(Findings.examine(redis.uri()), Severity.WARNING)).contains("redis-nearly-full");
        }
    }

    @Test
    void theLeastUserSeesEnoughAndItSaysWhatIsHidden() throws Exception {
        try (RedisProcess redis = RedisProcess.start("--appendonly", "yes")) {
            setUser(redis, "app on >pw " + SecurityTest.LEAST);
            redis.commands().configSet("requirepass", "other");
            Examination seen = Findings.examine("redis://app:pw@localhost:" + redis.port());

            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.WARNING)).isEmpty();
            assertThat(codes(seen, Severity.NOTE)).containsExactly("redis-fsync-not-seen", "redis-no-replica");
            assertThat(codes(seen, Severity.FINE)).contains("redis-rights", "redis-closed", "trial");
            assertThat(seen.toString()).doesNotContain("pw@").doesNotContain("other");
        }
    }

    @Test
    void missingRightsAreNamedOneByOne() throws Exception {
        for (Version version : Version.values()) {
            try (RedisProcess redis = RedisProcess.start(version)) {
                setUser(redis, "app on >pw " + SecurityTest.LEAST + " -rpush -lset -subscribe");
                setUser(redis, "keys on >pw " + SecurityTest.LEAST.replace("~leasehold:*", "~other:*"));
                setUser(redis, "channels on >pw " + SecurityTest.LEAST.replace("&leasehold:*", "&other:*"));
                setUser(redis, "poor on >pw resetchannels -@all +ping");

                Examination app = Findings.examine("redis://app:pw@localhost:" + redis.port());
                assertThat(the("redis-rights-missing", app).what())
                        .isEqualTo("the user may not call lset, rpush, subscribe");
                assertThat(the("redis-rights-missing", app).remedy()).isEqualTo("allow +lset +rpush +subscribe");
                Examination keys = Findings.examine("redis://keys:pw@localhost:" + redis.port());
                assertThat(codes(keys, Severity.SERIOUS)).containsExactly("redis-keys-forbidden", "trial-failed");
                Examination channels = Findings.examine("redis://channels:pw@localhost:" + redis.port());
                assertThat(codes(channels, Severity.SERIOUS)).containsExactly("redis-channels-forbidden");
                Examination poor = Findings.examine("redis://poor:pw@localhost:" + redis.port());
                assertThat(the("redis-rights-missing", poor).what())
                        .contains("set, evalsha, eval, time, info, exists, get");
                assertThat(codes(poor, Severity.WARNING)).contains("redis-info-not-seen");
                assertThat(redis.commands().keys("*")).allMatch(key -> key.endsWith(":token"));
            }
        }
    }

    /** The doctor tries exactly the rights that the documentation names. */
    @Test
    void theTriedRightsAreTheDocumentedOnes() throws Exception {
        String rights = Files.readString(Path.of("src/main/java/dev/leasehold/redis/doctor/PermissionCheck.java"));
        TreeSet<String> tried = new TreeSet<>();
        Matcher calls = Pattern.compile("may\\(CommandType\\.([A-Z]+)").matcher(rights);
        while (calls.find()) {
            tried.add(calls.group(1).toLowerCase(java.util.Locale.ROOT));
        }
        tried.removeAll(List.of("cluster", "asking", "wait", "object"));
        tried.add("subscribe");
        TreeSet<String> documented = new TreeSet<>();
        Matcher allowed = Pattern.compile("\\+([a-z]+)").matcher(SecurityTest.LEAST);
        while (allowed.find()) {
            documented.add(allowed.group(1));
        }
        assertThat(tried).isEqualTo(documented);
        String docs = Files.readString(Pages.ROOT.resolve("docs/redis.md")).replaceAll("\\s+", " ");
        assertThat(Arrays.stream(SecurityTest.LEAST.split(" ")).filter(word -> word.startsWith("+")))
                .allMatch(word -> docs.contains(word));
    }

    @Test
    void everyCommandOfTheScriptsIsAmongTheLeastRights() throws Exception {
        Pattern call = Pattern.compile("\\bp?call\\('([A-Z]+)'");
        try (var scripts = Files.list(Path.of("src/main/resources/dev/leasehold/redis"))) {
            for (Path script : scripts.toList()) {
                Matcher calls = call.matcher(Files.readString(script));
                while (calls.find()) {
                    assertThat(SecurityTest.LEAST.split(" "))
                            .as(script.toString())
                            .contains("+" + calls.group(1).toLowerCase(java.util.Locale.ROOT));
                }
            }
        }
    }

    @Test
    void replicasThatLocksDoNotWaitForAreAWarning() throws Exception {
        try (RedisProcess master = RedisProcess.start(
                        "--repl-diskless-sync-delay", "0", "--appendonly", "yes", "--appendfsync", "always");
                RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + master.port())) {
            await().until(() -> replica.commands().info("replication").contains("master_link_status:up"));
            // The master counts on a replica a moment after the replica does.
            await().until(() -> master.commands().info("replication").contains("state=online"));
            Examination seen = Findings.examine(master.uri());

            assertThat(codes(seen, Severity.WARNING)).containsExactly("redis-fail-over-forgets", "redis-min-replicas");
            assertThat(codes(seen, Severity.FINE)).contains("redis-clocks-agree");
            assertThat(seen.verdict()).contains("a fail-over to a replica that lacks the latest locks; a partition");

            master.commands().configSet("min-replicas-to-write", "1");
            await().until(() -> master.commands().info("replication").contains("min_slaves_good_slaves:1"));
            assertThat(codes(Findings.examine(master.uri()), Severity.WARNING))
                    .containsExactly("redis-fail-over-forgets");
            Examination waits =
                    Findings.examine(master.uri() + "?leasehold.waitForReplicas=1&leasehold.waitTimeout=2000");
            assertThat(codes(waits, Severity.WARNING)).isEmpty();
            assertThat(codes(waits, Severity.FINE))
                    .as("%s", waits.findings())
                    .contains("redis-waits-for-replicas", "redis-cut-off", "trial");
            Examination tooMany =
                    Findings.examine(master.uri() + "?leasehold.waitForReplicas=2&leasehold.storeTimeout=2500");
            assertThat(codes(tooMany, Severity.SERIOUS)).containsExactly("redis-replicas-missing", "trial-failed");
            assertThat(codes(Findings.examine(replica.uri()), Severity.SERIOUS))
                    .containsExactly("redis-not-a-master", "trial-failed");
        }
    }

    @Test
    void theMasterBehindASentinelAndItsReplicaAreExamined() throws Exception {
        try (RedisGroup group = RedisGroup.sentinel()) {
            Examination seen = Findings.examine(
                    "redis-sentinel://localhost:" + group.servers.get(2).port() + "#main");

            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.WARNING)).contains("redis-fail-over-forgets", "redis-no-persistence");
            assertThat(codes(seen, Severity.FINE)).contains("redis-clocks-agree", "redis-rights", "trial");
        }
    }

    @Test
    void allMastersOfAClusterAreExaminedAndAHoleIsSerious() throws Exception {
        try (RedisGroup group = RedisGroup.cluster()) {
            String uri = "redis-cluster://" + group.addresses();
            Examination seen = Findings.examine(uri);

            assertThat(codes(seen, Severity.SERIOUS)).isEmpty();
            assertThat(codes(seen, Severity.FINE)).contains("redis-slots", "redis-cluster-state", "redis-clocks-agree");
            assertThat(seen.findings().stream().filter(finding -> finding.code().equals("redis-rights")))
                    .hasSize(3);
            RedisProcess last = group.servers.get(2);
            for (RedisProcess server : group.servers) {
                server.commands().clusterDelSlots(16_000);
            }
            await().until(() -> last.commands().clusterInfo().contains("cluster_state:fail"));
            Examination hole = Findings.examine(uri);
            assertThat(codes(hole, Severity.SERIOUS)).contains("redis-slots-uncovered", "redis-cluster-down");
            assertThat(the("redis-slots-uncovered", hole).what()).isEqualTo("1 of 16384 slots have no master");
        }
    }

    @Test
    void anUnreachableOrClosedServerIsNoExamination() throws Exception {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "secret")) {
            assertThatThrownBy(() -> Findings.examine("redis://:wr0ng@localhost:" + redis.port()))
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("user name or password are wrong")
                    .hasMessageNotContaining("wr0ng");
        }
        try (RedisProcess redis = RedisProcess.start()) {
            redis.signal("STOP");
            assertThatThrownBy(() -> Findings.examine(redis.uri() + "?leasehold.storeTimeout=700"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("none could be made within 700 ms");
        }
        assertThatThrownBy(() -> Findings.examine("redis://localhost:" + Ports.next()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Check that it is running");
    }

    /** Once in some thousands the failure that was told was this, and not the server's answer. */
    @Test
    void aConnectionClosedInItsHandshakeIsTriedAgain() throws Exception {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "secret");
                FaultProxy proxy = FaultProxy.to(redis.port())) {
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletableFuture<Examination> seen = CompletableFuture.supplyAsync(() -> {
                try {
                    return Findings.examine("redis://:wr0ng@localhost:" + proxy.port());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            await().until(() -> proxy.holding() == 1);
            proxy.cut();
            proxy.letGo();
            assertThatThrownBy(() -> seen.get(A_MINUTE, TimeUnit.SECONDS))
                    .cause()
                    .hasMessageContaining("user name or password are wrong");
        }
    }

    @Test
    void factsOfServersThatCannotBeHadHere() {
        Map<String, String> info = Map.of("redis_version", "6.0.16", "role", "master", "aof_enabled", "0");
        NodeFacts old = facts("old", info, Map.of(), 0);
        NodeFacts valkey = facts(
                "valkey",
                Map.of("redis_version", "7.2.4", "valkey_version", "8.0.1", "aof_enabled", "1"),
                Map.of("appendfsync", "always"),
                2_000_000);
        NodeFacts failing = facts(
                "failing",
                Map.of("aof_enabled", "1", "aof_last_write_status", "err", "rdb_last_bgsave_status", "err"),
                Map.of("save", "60 1"),
                0);

        assertThat(ServerFindings.of(old)).anyMatch(finding -> finding.code().equals("redis-version-old"));
        assertThat(ServerFindings.of(valkey)).anyMatch(finding -> finding.what().equals("Valkey 8.0.1"));
        assertThat(ServerFindings.of(failing))
                .anyMatch(finding -> finding.code().equals("redis-version-not-seen"));
        assertThat(PersistenceFindings.of(old)).extracting(Finding::code).containsExactly("redis-persistence-not-seen");
        assertThat(PersistenceFindings.of(failing))
                .extracting(Finding::code)
                .containsExactly("redis-fsync-not-seen", "redis-disk-fails", "redis-disk-fails");
        assertThat(ClockFindings.of(List.of(old, valkey)))
                .extracting(Finding::code)
                .containsExactly("redis-clock", "redis-clock-wrong", "redis-clocks-differ");
        assertThat(ClockFindings.of(List.of(old, facts("near", info, Map.of(), 200_000))))
                .extracting(Finding::code)
                .containsExactly("redis-clock", "redis-clock", "redis-clocks-agree");
        NodeFacts far = new NodeFacts(
                "far", info, Map.of(), null, 0, java.time.Duration.ofMillis(80), java.time.Duration.ofMillis(90));
        assertThat(ServerFindings.of(far)).anyMatch(finding -> finding.code().equals("redis-far"));
        assertThat(ExposureFindings.of(old, true, false, false, true))
                .extracting(Finding::code)
                .containsExactly("redis-password-in-clear", "redis-open");
        assertThat(ExposureFindings.of(old, false, false, true, true))
                .extracting(Finding::code)
                .containsExactly("redis-closed");
    }

    private static NodeFacts facts(String node, Map<String, String> info, Map<String, String> config, long ahead) {
        return new NodeFacts(
                node, info, config, ahead, 400, java.time.Duration.ofNanos(200_000), java.time.Duration.ofMillis(1));
    }

    private static void setUser(RedisProcess redis, String rules) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        for (String rule : rules.split(" ")) {
            args.add(rule);
        }
        redis.commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }
}
