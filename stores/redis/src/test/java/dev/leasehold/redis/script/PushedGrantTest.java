package dev.leasehold.redis.script;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.redis.RedisStoreProvider;
import dev.leasehold.redis.node.ClockStamp;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.QueueEntries;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about what a pushed grant says, whichever script makes it, and the effect of one that comes again. */
@Tag("slow")
class PushedGrantTest {

    private static final String LOCK = "leasehold:{x}";
    private static final String[] KEYS = {LOCK, LOCK + ":token", LOCK + ":queue", "leasehold:quorum"};
    private static final String TO_TELL = "1|leasehold:inbox:|x";
    private static final String HELD = "leasehold|1|holder:1|1700000000000000|0|1700000000000000|holder";
    private static final String RULES = new MarkerRules(Duration.ofMinutes(1), false, KeyNames.ROOT).text();
    /** A script that begins with this tells everybody and counts nobody. */
    private static final String UNCOUNTED = "local true_redis = redis\n"
            + "local redis = setmetatable({pcall = function(command, channel, text, ...)\n"
            + "  if command == 'PUBLISH' then true_redis.call('RPUSH', 'published', text) return 0 end\n"
            + "  return true_redis.pcall(command, channel, text, ...)\n"
            + "end}, {__index = true_redis})\n";

    /** A script that begins with this runs on a server that does not know how to keep anything from its replicas. */
    private static final String WITHOUT_SET_REPL = "local true_redis = redis\n"
            + "local redis = setmetatable({set_repl = function() error('unknown') end}, {__index = true_redis})\n";

    /** A script that begins with this runs for a user that has no right to publish anything. */
    private static final String WITHOUT_PUBLISH = "local true_redis = redis\n"
            + "local redis = setmetatable({pcall = function(command, ...)\n"
            + "  return command == 'PUBLISH' and {err = 'NOPERM'} or true_redis.pcall(command, ...) end,\n"
            + "  call = function(command, ...)\n"
            + "  return command == 'PUBLISH' and error('NOPERM') or true_redis.call(command, ...) end},\n"
            + "  {__index = true_redis})\n";

    private static final String FIRST = "0".repeat(31) + "1";
    private static final String SECOND = "0".repeat(31) + "2";

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private RedisClient listening;
    private String scriptsBegin = "";
    private ClockReading askedAt;
    private RedisCommands<String, String> server;
    private StatefulRedisPubSubConnection<String, String> inbox;

    @BeforeEach
    void start() {
        server = redis.get().commands();
        listening = RedisClient.create();
        inbox = listening.connectPubSub(RedisURI.create(redis.get().uri()));
        inbox.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                told.add(message);
            }

            @Override
            public void message(String pattern, String channel, String message) {
                told.add(message);
            }
        });
        inbox.sync().subscribe("leasehold:inbox:waiter");
        server.set(LOCK, HELD, SetArgs.Builder.px(300_000));
    }

    @AfterEach
    void stop() {
        listening.shutdown();
    }

    private String eval(Script script, String... args) {
        return server.eval(scriptsBegin + script.text(), ScriptOutputType.MULTI, KEYS, args)
                .toString();
    }

    private String ask(String claim, String stamp) {
        return eval(
                Script.CLAIM,
                "leasehold|1|" + claim + "|",
                "owner",
                "30000",
                "3",
                "1|0|0|" + TO_TELL,
                "90000|" + stamp + "|" + claim + "|5000|3|leasehold:inbox:" + claim.split(":")[0] + "|owner");
    }

    /** Moves the time at which the waiter has last asked, back or forward. */
    private void shiftQuestion(long millis) {
        QueueEntries.shift(server, KEYS[2], millis * 1000);
    }

    private void handOver(String by) {
        switch (by) {
            case "release" -> eval(Script.RELEASE, "leasehold|1|holder:1|1700000000000000|", TO_TELL);
            case "withdrawal" -> eval(Script.WITHDRAW, "holder:1", TO_TELL);
            case "break" -> eval(Script.BREAK, "1700000000000000", TO_TELL);
            case "claim" -> {
                server.del(LOCK);
                ask("other:1", FIRST);
            }
            case "ballot" -> {
                server.eval(
                        Script.OPEN_QUORUM.text(), ScriptOutputType.MULTI, new String[] {"leasehold:quorum"}, RULES);
                server.del(LOCK);
                String value = "leasehold|1|other:1|1|3|1700000000000000|owner";
                String ballot = "0|90000|5000|" + RULES + "|" + TO_TELL;
                eval(Script.VOTE, value, "30000", "4", ballot, "1");
            }
            default -> throw new IllegalArgumentException(by);
        }
    }

    private String[] grant() throws InterruptedException {
        String message = Objects.requireNonNull(told.poll(A_MINUTE, TimeUnit.SECONDS), "a grant");
        String[] parts = message.split("\\|");
        assertThat(parts).as(message).hasSize(9);
        assertThat(parts[0]).isEqualTo("granted");
        String[] value = server.get(LOCK).split("\\|");
        assertThat(parts[1]).isEqualTo(value[3]);
        assertThat(parts[3]).isEqualTo("waiter:7").isEqualTo(value[2]);
        assertThat(parts[4]).isEqualTo("5000");
        assertThat(parts[5]).isEqualTo("3").isEqualTo(value[4]);
        assertThat(parts[8]).isEqualTo("x");
        assertThat(QueueEntries.claims(server, KEYS[2])).doesNotContain("waiter:7");
        return parts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim", "ballot"})
    void theStampOfTheLastQuestionIsTold(String by) throws Exception {
        ask("waiter:7", FIRST);
        assertThat(ask("waiter:7", SECOND)).startsWith("[busy|1|");
        server.configResetstat();
        handOver(by);
        assertThat(grant()[2]).isEqualTo(SECOND);
        if (!by.equals("ballot")) {
            assertThat(server.info("commandstats")).doesNotContain("cmdstat_info:");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim", "ballot"})
    void aWaiterThatAskedLongAgoHearsTheSame(String by) throws Exception {
        ask("waiter:7", FIRST);
        shiftQuestion(-30_000);
        handOver(by);
        assertThat(grant()[2]).isEqualTo(FIRST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim", "ballot"})
    void theFirstHearsTheSameAfterAClockWasSetBack(String by) throws Exception {
        ask("waiter:7", FIRST);
        shiftQuestion(3_600_000);
        handOver(by);
        assertThat(grant()[2]).isEqualTo(FIRST);
    }

    /**
     * A server counts its own listeners alone: in a cluster those at another node hear a grant, too. The grants of one
     * hand-over, to those who were not heard of and to the one behind them, had the same token.
     */
    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim"})
    void anAnnouncedTokenIsNeverGivenToAnother(String by) {
        // So that tokens do not come from the clock, which moves.
        server.set(KEYS[1], "2790000000000000");
        ask("waiter:7", FIRST);
        ask("waiter:8", FIRST);
        scriptsBegin = UNCOUNTED;
        handOver(by);
        List<Long> tokens = new ArrayList<>();
        server.lrange("published", 0, -1).stream()
                .filter(text -> text.startsWith("granted"))
                .forEach(text -> tokens.add(Long.parseLong(text.split("\\|")[1])));
        assertThat(tokens).hasSizeGreaterThanOrEqualTo(2);
        String value = server.get(LOCK);
        if (value != null) {
            assertThat(value).contains("|other:1|");
            tokens.add(Long.parseLong(value.split("\\|")[3]));
        }
        // Each was told with a run of three more.
        for (int i = 1; i < tokens.size(); i++) {
            assertThat(tokens.get(i)).as("%s", tokens).isGreaterThan(tokens.get(i - 1) + 3);
        }
        assertThat(Long.parseLong(server.get(KEYS[1]))).isGreaterThanOrEqualTo(tokens.get(tokens.size() - 1) + 3);
    }

    /** An error after a script's writes and before its answer would leave the outcome unknown to the caller. */
    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim", "ballot"})
    void aGrantStandsUnannouncedWhereReplicasWouldHearIt(String by) throws Exception {
        ask("waiter:7", FIRST);
        scriptsBegin = WITHOUT_SET_REPL;
        handOver(by);
        assertThat(server.get(LOCK)).startsWith("leasehold|1|waiter:7|");
        assertThat(QueueEntries.claims(server, KEYS[2])).doesNotContain("waiter:7");
        server.publish("leasehold:inbox:waiter", "the end");
        assertThat(told.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("the end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim", "ballot"})
    void aGrantStandsWhereNothingMayBePublished(String by) {
        ask("waiter:7", FIRST);
        scriptsBegin = WITHOUT_PUBLISH;
        handOver(by);
        assertThat(server.get(LOCK)).startsWith("leasehold|1|waiter:7|");
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break", "claim"})
    void aDeafWaiterIsPassedOverAndKeepsItsPlace(String by) throws Exception {
        ask("deaf:1", FIRST);
        ask("deaf:2", FIRST);
        ask("waiter:7", SECOND);
        handOver(by);
        grant();
        assertThat(QueueEntries.claims(server, KEYS[2])).startsWith("deaf:1", "deaf:2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break"})
    void aDeafWaiterThatWaitsAloneKeepsItsPlace(String by) {
        ask("deaf:1", FIRST);
        handOver(by);
        assertThat(server.get(LOCK)).isNull();
        assertThat(QueueEntries.claims(server, KEYS[2])).containsExactly("deaf:1");
        assertThat(server.pttl(KEYS[2])).isGreaterThan(90_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "withdrawal", "break"})
    void aFullServerHandsOver(String by) throws Exception {
        ask("waiter:7", FIRST);
        server.configSet("maxmemory-policy", "noeviction");
        server.configSet("maxmemory", "1");
        handOver(by);
        assertThat(grant()[2]).isEqualTo(FIRST);
    }

    @Test
    void aWaiterBehindDeadOnesHearsThatItIsFirst() {
        long micros = System.currentTimeMillis() * 1000;
        server.set(LOCK, HELD.replace("|0|1700000000000000", "|0|" + micros), SetArgs.Builder.px(300_000));
        ask("waiter:7", FIRST);
        shiftQuestion(-90_001);
        assertThat(ask("other:1", FIRST)).startsWith("[busy|1|");
        assertThat(QueueEntries.claims(server, KEYS[2])).containsExactly("other:1");
    }

    /** Returns a client's view of a grant whose stamp belongs to a question of so long ago. */
    private @Nullable Validity told(Duration age) throws Exception {
        server.del(LOCK);
        CompletableFuture<@Nullable Validity> told = new CompletableFuture<>();
        Signals signals = new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                told.complete(validity);
            }

            @Override
            public void doubt(@Nullable String lock) {}
        };
        try (Leasehold one = Leasehold.connect(redis.get().uri());
                RealTime time = new RealTime()) {
            Lease held = one.lock("x").acquire();
            Store store = new RedisStoreProvider()
                    .create(StoreUri.parse(redis.get().uri()))
                    .open(new StoreContext("two", "two", "", time, Duration.ofMinutes(1), signals));
            Claim claim = new Claim(new ClaimId("two", 1), "x", Duration.ofSeconds(30), 0, true);
            store.claim(claim).toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
            ClockReading now = time.now();
            askedAt = new ClockReading(now.nanos() - age.toNanos(), now.wallMicros() - age.toNanos() / 1000);
            QueueEntries.change(server, KEYS[2], parts -> {
                parts[3] = ClockStamp.of(askedAt);
                return parts;
            });
            held.release();
            Validity validity = told.get(A_MINUTE, TimeUnit.SECONDS);
            store.close();
            return validity;
        }
    }

    @Test
    void aGrantCountsFromTheQuestionWhoseStampItTells() throws Exception {
        assertThat(told(Duration.ofSeconds(1))).isEqualTo(Validity.of(askedAt, Duration.ofSeconds(5)));
    }

    @Test
    void aGrantWhoseStampIsOldIsOnlyAReasonToAsk() throws Exception {
        assertThat(told(Duration.ofMillis(2_501))).isNull();
    }

    /** The record of its question is 3 s old: less would be left than its renewal may take. */
    @Test
    void anOldStampMakesTheClientAskAndCountFromThere() throws Exception {
        server.del(LOCK);
        try (Leasehold one = Leasehold.connect(redis.get().uri());
                Leasehold two = Leasehold.connect(redis.get().uri())) {
            Lease held = one.lock("x").acquire();
            CompletableFuture<Lease> waiting = two.lock("x").acquireAsync();
            await().until(() -> server.llen(KEYS[2]) == 1);
            String earlier = ClockStamp.of(new ClockReading(
                    System.nanoTime() - TimeUnit.SECONDS.toNanos(3), System.currentTimeMillis() * 1000 - 3_000_000));
            QueueEntries.change(server, KEYS[2], parts -> {
                parts[3] = earlier;
                return parts;
            });
            long before = System.nanoTime();
            CompletableFuture<Duration> left = waiting.thenApply(Lease::remaining);
            held.release();
            Lease next = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            Duration passed = Duration.ofNanos(System.nanoTime() - before);
            assertThat(left.get(A_MINUTE, TimeUnit.SECONDS))
                    .isBetween(Duration.ofSeconds(29).minus(passed), Duration.ofSeconds(30));
            assertThat(next.isValid()).isTrue();
        }
    }

    @Test
    void aGrantRepeatedAfterItsReleaseGivesNobodyTheLock() throws Exception {
        server.del(LOCK);
        inbox.sync().psubscribe("leasehold:inbox:*");
        try (Leasehold one = Leasehold.connect(redis.get().uri());
                Leasehold two = Leasehold.connect(redis.get().uri())) {
            Lease held = one.lock("x").acquire();
            CompletableFuture<Lease> waiting = two.lock("x").acquireAsync();
            await().until(() -> server.llen(KEYS[2]) == 1);
            String channel = server.lindex(KEYS[2], 0).split("\\|")[7];
            held.release();
            Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            String message = Objects.requireNonNull(told.poll(A_MINUTE, TimeUnit.SECONDS), "a grant");
            server.publish(channel, message);
            second.extend(Duration.ofSeconds(30));
            assertThat(second.state()).isEqualTo(LeaseState.HELD);
            assertThat(second.release()).isEqualTo(LeaseState.RELEASED);
            Lease third = one.lock("x").acquire();
            CompletableFuture<Lease> fourth = two.lock("x").acquireAsync();
            await().until(() -> server.llen(KEYS[2]) == 1);
            server.publish(channel, message);
            server.configResetstat();
            // The stray grant is given back, in vain; the waiter goes on waiting.
            await().until(() -> server.info("commandstats").contains("cmdstat_evalsha:"));
            third.extend(Duration.ofSeconds(30));
            assertThat(third.state()).isEqualTo(LeaseState.HELD);
            assertThat(fourth).isNotDone();
            third.release();
            assertThat(fourth.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(third.token());
        }
    }
}
