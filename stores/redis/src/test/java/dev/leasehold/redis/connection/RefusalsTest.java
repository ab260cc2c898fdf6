package dev.leasehold.redis.connection;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.servers.RedisProcess.Version;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.ScriptOutputType;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about servers that cannot just now: the claim is asked again, and is granted when they can. */
@Tag("slow")
class RefusalsTest {

    private static Leasehold client(RedisProcess server) {
        return Leasehold.builder()
                .uri(server.uri())
                .storeTimeout(Duration.ofSeconds(30))
                .build();
    }

    private static Leasehold hasty(RedisProcess server) {
        return Leasehold.builder()
                .uri(server.uri())
                .storeTimeout(Duration.ofMillis(800))
                .build();
    }

    private static void isGrantedOnce(CompletableFuture<Lease> claimed) throws Exception {
        assertThat(claimed.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
    }

    private static void refuses(RedisProcess server, String code) {
        try (Leasehold hasty = hasty(server)) {
            // A question may just be under way when the time is over; then its outcome is unknown.
            await().untilAsserted(() -> assertThatThrownBy(() -> hasty.lock("x").acquire())
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT))
                    .hasMessageContaining(code));
        }
    }

    /** Redis 6.2 does not ask that of scripts. */
    @Test
    void tooFewReplicas() throws Exception {
        try (RedisProcess server = RedisProcess.start("--min-replicas-to-write", "1");
                Leasehold client = client(server)) {
            refuses(server, "NOREPLICAS");
            server.commands().configResetstat();
            CompletableFuture<Lease> claimed = client.lock("x").acquireAsync();
            await().until(() -> server.commands().info("commandstats").contains("cmdstat_eval"));
            assertThat(claimed).isNotDone();
            server.commands().configSet("min-replicas-to-write", "0");
            isGrantedOnce(claimed);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aReplicaThatHasLostItsMasterAndIsPromoted(Version version) throws Exception {
        try (RedisProcess server = RedisProcess.start(version, "--replica-serve-stale-data", "no");
                Leasehold client = client(server)) {
            server.commands().replicaof("127.0.0.1", 1);
            refuses(server, "MASTERDOWN");
            CompletableFuture<Lease> claimed = client.lock("x").acquireAsync();
            server.commands().replicaofNoOne();
            isGrantedOnce(claimed);
        }
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aScriptOfSomebodyElseThatDoesNotEnd(Version version) throws Exception {
        try (RedisProcess server = RedisProcess.start(version, "--lua-time-limit", "20");
                RedisClient other = RedisClient.create(server.uri());
                var stuck = other.connect();
                var killer = other.connect();
                Leasehold client = client(server)) {
            client.lock("other").acquire().close();
            stuck.async().eval("while true do end", ScriptOutputType.INTEGER);
            await().until(() -> {
                try {
                    killer.sync().ping();
                    return false;
                } catch (RedisBusyException busy) {
                    return true;
                }
            });
            CompletableFuture<Lease> claimed = client.lock("x").acquireAsync();
            assertThat(claimed).isNotDone();
            killer.sync().scriptKill();
            isGrantedOnce(claimed);
        }
    }

    /** Returns errors in the servers' words, alone and from within a script of Redis 6.2. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "READONLY You can't write against a read only replica.",
                "CLUSTERDOWN The cluster is down",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "NOREPLICAS Not enough good replicas to write.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -OOM command not allowed",
                "ERR Error running script (call to f_1): @user_script:9: -READONLY You can't write against a read only replica."
            })
    void whatPasses(String error) {
        assertThat(RedisFailures.of(new RedisCommandExecutionException(error), "a node", "the claim"))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(Outcome.NOT_CARRIED_OUT))
                .hasMessageContaining("nothing was done");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOAUTH Authentication required.",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR unknown command",
                "ERR Error running script (call to f_1): @user_script:9: @user_script: 9: LEASEHOLD_TYPE"
            })
    void whatDoesNot(String error) {
        assertThat(RedisFailures.of(new RedisCommandExecutionException(error), "a node", "the claim"))
                .isInstanceOf(LockException.class)
                .isNotInstanceOf(StoreUnavailableException.class);
    }

    /** Every waiter failed for good at what a proxy says during a fail-over. */
    @ParameterizedTest
    @CsvSource({
        "ERR no backend at the moment, true",
        "ERR unknown command 'EVAL', false",
        "CROSSSLOT Keys in request don't hash to the same slot, false"
    })
    void aProxysErrorWhileConnectingPasses(String error, boolean passes) {
        Throwable failure = new RedisCommandExecutionException(error);
        assertThat(RedisFailures.ofConnecting(failure, "redis://proxy", "the claim of 'x'"))
                .matches(told -> passes == (told instanceof StoreUnavailableException));
    }

    /** In the words of the JVM's resolver, and of Netty's. */
    @ParameterizedTest
    @ValueSource(strings = {"redis-2", "Failed to resolve 'redis-2' [A(1), AAAA(28)] after 2 queries "})
    void aHostWithoutAnAddressIsNamedAsSuch(String words) {
        Throwable failure = new RedisConnectionException("Unable to connect", new UnknownHostException(words));
        assertThat(RedisFailures.ofConnecting(failure, "redis://redis-2:6379", "the claim of 'x'"))
                .hasMessageContaining("no address for 'redis-2'");
    }
}
