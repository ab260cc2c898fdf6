package dev.leasehold.redis.connection;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Findings;
import java.net.ConnectException;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about the search for the master among servers that are silent, gone, or refuse. */
@Tag("slow")
class SearchTest {

    private static Leasehold among(RedisProcess first, RedisProcess second, int storeTimeout) {
        return Leasehold.connect("redis://localhost:" + first.port() + ",localhost:" + second.port()
                + "?leasehold.storeTimeout=" + storeTimeout);
    }

    /** The search waited for the silent one for as long as the whole attempt could last. */
    @Test
    void aShortStoreTimeoutFindsTheMasterToo() throws Exception {
        try (RedisProcess silent = RedisProcess.start();
                RedisProcess master = RedisProcess.start().warm();
                Leasehold client = among(silent, master, 1500)) {
            silent.signal("STOP");
            try {
                await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                        .until(() -> client.lock("x").tryAcquire().isPresent());
            } finally {
                silent.signal("CONT");
            }
        }
    }

    /** It ended an acquire for good, though the one that was down is the master, and comes back. */
    @Test
    void oneServersRefusalIsNotThatOfAll() throws Exception {
        try (RedisProcess down = RedisProcess.start();
                RedisProcess refusing = RedisProcess.start("--requirepass", "other");
                Leasehold hasty = among(refusing, down, 4000);
                Leasehold client = among(refusing, down, 60_000)) {
            down.kill();
            // A busy machine, or a JVM that has just started, may not have heard either server within four seconds.
            await().untilAsserted(() -> assertThatThrownBy(() -> hasty.lock("x").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("localhost:" + refusing.port() + ": NOAUTH")
                    .hasMessageContaining("localhost:" + down.port() + ": Connection refused")
                    .hasStackTraceContaining("RedisCommandExecutionException: NOAUTH"));
            CompletableFuture<Lease> claim = client.lock("x").acquireAsync();
            down.restart();
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    /** The store timeout is an hour: a try ends only where its failure's cause says that nothing listens. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://127.0.0.1:1,127.0.0.1:2",
                "redis-sentinel://127.0.0.1:1,127.0.0.1:2#main",
                "redis-cluster://127.0.0.1:1,127.0.0.1:2",
                "redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"
            })
    void whereNobodyListensATryFailsAtOnce(String uri) {
        try (Leasehold client =
                Leasehold.builder().uri(uri).storeTimeout(Duration.ofHours(1)).build()) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> client.lock("x").tryAcquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasRootCauseInstanceOf(ConnectException.class);
            }
        }
    }

    /** It may be the master soon, so a try waits for its second. */
    @Test
    void whereAReplicaAnswersATryGoesOn() throws Exception {
        try (RedisGroup group = RedisGroup.replicated();
                Leasehold client = among(group.servers.get(0), group.servers.get(1), 3000)) {
            group.servers.get(0).kill();
            assertThatThrownBy(() -> client.lock("x").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(": a replica")
                    .hasRootCauseInstanceOf(NoMasterException.class)
                    .rootCause()
                    .satisfies(none -> assertThat(none.getSuppressed())
                            .singleElement()
                            .satisfies(refused -> assertThat(refused).hasRootCauseInstanceOf(ConnectException.class)));
        }
    }

    @Test
    void aRefusalOfAllIsForGood() throws Exception {
        try (RedisProcess one = RedisProcess.start("--requirepass", "other");
                RedisProcess two = RedisProcess.start("--requirepass", "other");
                Leasehold client = among(one, two, 60_000)) {
            assertThatThrownBy(() -> client.lock("x").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    /** It gave up after the second that a client waits at first, which then asks again and waits for longer. */
    @Test
    void theDoctorWaitsForASlowMaster() throws Exception {
        try (RedisGroup group = RedisGroup.replicated();
                Leasehold client = among(group.servers.get(1), group.servers.get(0), 60_000)) {
            RedisProcess master = group.servers.get(0);
            RedisProcess replica = group.servers.get(1);
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class).until(() -> {
                replica.commands().configResetstat();
                master.signal("STOP");
                CompletableFuture<Examination> looking = CompletableFuture.supplyAsync(() -> examine(client));
                try {
                    await().until(() -> replica.commands().info("commandstats").contains("cmdstat_role"));
                    // It has been searching for as long as that, at least.
                    TimeUnit.MILLISECONDS.sleep(1300);
                } finally {
                    master.signal("CONT");
                }
                return Findings.codes(join(looking), Severity.SERIOUS).isEmpty();
            });
        }
    }

    /** Each was connected to its own master, and held the lock that the other held, for as long as it liked. */
    @Test
    void whoIsConnectedHearsOfASecondMaster() throws Exception {
        List<String> warnings = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger("dev.leasehold.redis");
        Handler handler = warningsInto(warnings);
        logger.addHandler(handler);
        try (RedisGroup group = RedisGroup.replicated();
                Leasehold left = among(group.servers.get(0), group.servers.get(1), 30_000);
                Leasehold moved = among(group.servers.get(0), group.servers.get(1), 30_000)) {
            RedisProcess old = group.servers.get(0);
            RedisProcess next = group.servers.get(1);
            LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));
            Lease first = left.lock("x", longer).acquire();
            old.signal("STOP");
            try {
                next.commands().replicaofNoOne();
                next.commands().del("leasehold:{x}");
                assertThat(moved.lock("x", longer).acquire().isValid()).isTrue();
            } finally {
                old.signal("CONT");
            }
            await().until(() -> warnings.size() >= 2);
            assertThat(warnings)
                    .allSatisfy(line -> assertThat(line)
                            .contains("localhost:" + old.port() + " and redis://localhost:" + next.port()));
            // A search that one of the two does not answer within a second takes the other.
            for (Leasehold client : List.of(left, moved)) {
                await().until(() -> isRefused(client));
            }
            old.commands().replicaof("127.0.0.1", next.port());
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> left.lock("y").tryAcquire().isPresent());
            await().until(() -> first.state() == LeaseState.LOST);
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static boolean isRefused(Leasehold client) throws InterruptedException {
        try {
            client.lock("y").tryAcquire().ifPresent(Lease::close);
            return false;
        } catch (StoreUnavailableException e) {
            return e.getMessage().contains("say both");
        }
    }

    private static Handler warningsInto(List<String> lines) {
        return new Handler() {
            @Override
            public void publish(LogRecord one) {
                if (one.getLevel() == Level.WARNING) {
                    lines.add(MessageFormat.format(one.getMessage(), one.getParameters()));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    private static Examination examine(Leasehold client) {
        try {
            return client.examine();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Examination join(CompletableFuture<Examination> looking) throws Exception {
        try {
            return looking.get(A_MINUTE, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause() instanceof StoreUnavailableException gone ? gone : e;
        }
    }
}
