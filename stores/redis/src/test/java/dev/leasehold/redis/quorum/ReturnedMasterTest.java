package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A master has its vote. Then a first replica comes, is promoted and written to; the master follows it, and is
 * promoted again. The test prints how little time that takes by the master's clock, and asserts that the master looks at
 * its marker afterwards, however little it was. It asserts no duration, because nothing rests on one.
 */
@Tag("slow")
class ReturnedMasterTest extends VotingMasters {

    private static final int TRIES = Integer.getInteger("leasehold.runs", 3);
    private static final List<String> WITHOUT_A_FILE = List.of("--repl-diskless-sync", "yes");
    private static final List<String> WITH_A_FILE = List.of("--repl-diskless-sync", "no");
    private static final List<String> WITH_A_FILE_AND_A_QUICK_CRON =
            List.of("--repl-diskless-sync", "no", "--hz", "500");
    /** A ping that the copy misses would put the master ahead of it, and the copy's data would be loaded as a whole. */
    private static final List<String> WITHOUT_PINGS = List.of("--repl-ping-replica-period", "3600");

    static Stream<Arguments> versionsAndWaysToCopy() {
        return Stream.of(Version.values())
                .flatMap(version -> Stream.of(WITHOUT_A_FILE, WITH_A_FILE, WITH_A_FILE_AND_A_QUICK_CRON)
                        .map(way -> Arguments.of(version, way)));
    }

    @ParameterizedTest
    @MethodSource("versionsAndWaysToCopy")
    void aReturnedMasterLooksAgainHoweverQuickItWas(Version version, List<String> way) {
        String[] options = Stream.of(way, WITHOUT_PINGS).flatMap(List::stream).toArray(String[]::new);
        String name = "";
        long least = Long.MAX_VALUE;
        for (int tried = 0; tried < TRIES; tried++) {
            RedisProcess copy = start(version, options);
            RedisProcess server = withVote(version, options);
            copy.commands().ping();
            name = name(server);
            String before = history(server);

            long begun = micros(server);
            becomesAReplicaOfItsCopyAndAMasterAgain(server, copy);
            least = Math.min(least, micros(server) - begun);

            assertThat(server.commands().get("written")).isEqualTo("elsewhere");
            hasLostItsVote(server, before);
            stop();
            servers.clear();
        }
        System.out.printf(
                "%s %s: a replica, promoted, followed and left again within %.1f ms, the least of %d tries%n",
                name, String.join(" ", way), least / 1000.0, TRIES);
    }

    static Stream<Arguments> versionsAndWaysToLoad() {
        return Stream.of(Version.values())
                .flatMap(version -> Stream.of("disabled", "swapdb").map(way -> Arguments.of(version, way)));
    }

    /** The master has written something since its copy was promoted, so it cannot go on from where the two parted. */
    @ParameterizedTest
    @MethodSource("versionsAndWaysToLoad")
    void aMasterThatLoadsItsCopyLooksAgain(Version version, String withoutFile) {
        RedisProcess copy = start(version);
        RedisProcess server = withVote(version, "--repl-diskless-load", withoutFile);
        String before = history(server);
        follow(copy, server);
        copy.commands().replicaofNoOne();
        copy.commands().set("written", "elsewhere");
        server.commands().set("written", "here");

        follow(server, copy);
        assertThat(server.commands().get("written")).isEqualTo("elsewhere");
        server.commands().replicaofNoOne();
        hasLostItsVote(server, before);
    }

    private static void becomesAReplicaOfItsCopyAndAMasterAgain(RedisProcess server, RedisProcess copy) {
        RedisCommands<String, String> there = copy.commands();
        RedisCommands<String, String> here = server.commands();
        there.replicaof("127.0.0.1", server.port());
        askUntil(() -> isLinked(there));
        there.replicaofNoOne();
        there.set("written", "elsewhere");
        here.replicaof("127.0.0.1", copy.port());
        askUntil(() -> isLinked(here) && here.exists("written") == 1);
        here.replicaofNoOne();
    }

    private static boolean isLinked(RedisCommands<String, String> replica) {
        return replica.info("replication").contains("master_link_status:up");
    }

    /** Asks without a pause, since a pause would be in the figure; the test's time-out ends it. */
    private static void askUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    private static long micros(RedisProcess server) {
        List<String> time = server.commands().time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Returns the version that the server names; a Valkey also names that of the Redis that it is like. */
    private static String name(RedisProcess server) {
        List<String> names = server.commands()
                .info("server")
                .lines()
                .filter(line -> line.matches("(redis|valkey)_version:.*"))
                .toList();
        return names.get(names.size() - 1);
    }
}
