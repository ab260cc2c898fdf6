package dev.leasehold.redis.script;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.redis.QuietWaiter;
import dev.leasehold.redis.RedisStore;
import dev.leasehold.redis.RedisStoreProvider;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testtools.QueueEntries;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about the costs of locking for the server, as the server itself counts them. */
@Tag("slow")
class CostTest {

    private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+)");

    private final List<Leasehold> clients = new ArrayList<>();

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    @AfterEach
    void stop() {
        clients.forEach(Leasehold::close);
    }

    private Leasehold client() {
        return client(new RedisStoreProvider().create(StoreUri.parse(redis.get().uri())));
    }

    private Leasehold client(StoreFactory store) {
        Leasehold client = Leasehold.builder()
                .store(store)
                .storeTimeout(Duration.ofSeconds(A_MINUTE))
                .build();
        clients.add(client);
        return client;
    }

    /** Counts the calls but for what this test asks itself. */
    private Map<String, Integer> calls() {
        return calls("info|config.*|exists|ping|llen|lrange");
    }

    private Map<String, Integer> calls(String leftOut) {
        Map<String, Integer> calls = new TreeMap<>();
        Matcher stats = CALLS.matcher(redis.get().commands().info("commandstats"));
        while (stats.find()) {
            if (!stats.group(1).matches(leftOut)) {
                calls.put(stats.group(1), Integer.parseInt(stats.group(2)));
            }
        }
        return calls;
    }

    private long callsOf(String command) {
        Matcher stats = CALLS.matcher(redis.get().commands().info("commandstats"));
        while (stats.find()) {
            if (stats.group(1).equals(command)) {
                return Long.parseLong(stats.group(2));
            }
        }
        return 0;
    }

    @Test
    void aCycleWithoutContentionIsTwoCommands() throws Exception {
        Leasehold client = client();
        client.lock("x").acquire().close();
        redis.get().commands().configResetstat();
        int cycles = 100;
        for (int i = 0; i < cycles; i++) {
            client.lock("x").acquire().release();
        }
        Map<String, Integer> calls = calls("config.*|info");
        assertThat(calls).containsEntry("evalsha", 2 * cycles).doesNotContainKeys("publish", "eval", "subscribe");
        assertThat(calls.values().stream().mapToInt(Integer::intValue).sum()).isLessThanOrEqualTo(9 * cycles + 20);
    }

    /** However many hold beside it: what is written is one line, and what is renewed one end. */
    @Test
    void aPermitsCycleIsTwoCommandsToo() throws Exception {
        Leasehold client = client();
        DistributedSemaphore semaphore = client.semaphore("x", 8);
        Lease beside = semaphore.acquire();
        beside.extend(Duration.ofSeconds(35));
        await().until(() -> callsOf("subscribe") == 1); // The first renewal begins to listen, and waits for no answer.
        semaphore.acquire().close();
        redis.get().commands().configResetstat();
        long start = System.nanoTime();
        int cycles = 100;
        for (int i = 0; i < cycles; i++) {
            semaphore.acquire().release();
        }
        beside.extend(Duration.ofSeconds(40));
        Map<String, Integer> calls = calls("config.*|info");
        assertThat(calls)
                .containsEntry("evalsha", 2 * cycles + 1)
                .containsEntry("setrange", cycles + 1)
                .doesNotContainKeys("publish", "eval");
        assertThat(callsOf("subscribe")).isLessThanOrEqualTo(1 + secondsSince(start));
        assertThat(calls.values().stream().mapToInt(Integer::intValue).sum()).isLessThanOrEqualTo(16 * cycles);
    }

    @Test
    void aHandOverIsOneCommandOfTheReleaserAndOneMessage() throws Exception {
        Leasehold one = client();
        Leasehold other = client();
        Lease first = one.lock("x").acquire();
        other.lock("warm").acquire().extend(Duration.ofSeconds(40));
        one.lock("warm2").acquire().close();
        CompletableFuture<Lease> next = other.lock("x").acquireAsync();
        await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 1);
        redis.get().commands().configResetstat();
        long start = System.nanoTime();
        first.release();
        Lease second = next.get(A_MINUTE, TimeUnit.SECONDS);
        second.release();
        // If that has taken long, the waiter has asked again meanwhile, or something was renewed.
        int more = (int) secondsSince(start);
        assertThat(callsOf("subscribe")).isLessThanOrEqualTo(more);
        assertThat(calls())
                .hasEntrySatisfying("publish", count -> assertThat(count).isBetween(1, 1 + more))
                .doesNotContainKey("eval")
                // The release, the new holder's confirmation, and its release.
                .hasEntrySatisfying("evalsha", count -> assertThat(count).isBetween(2, 3 + more));
    }

    @Test
    void aSecondWaitDoesNotSubscribeAgain() throws Exception {
        Leasehold one = client();
        Leasehold other = client();
        waitOnce(one, other);
        redis.get().commands().configResetstat();
        long start = System.nanoTime();
        int waits = 5;
        for (int i = 0; i < waits; i++) {
            waitOnce(one, other);
        }
        assertThat(callsOf("subscribe")).isLessThanOrEqualTo(1 + secondsSince(start));
        assertThat(callsOf("unsubscribe")).isZero();
        assertThat(callsOf("publish")).isBetween((long) waits, waits + 1 + secondsSince(start));
    }

    private void waitOnce(Leasehold one, Leasehold other) throws Exception {
        Lease first = one.lock("x").acquire();
        CompletableFuture<Lease> next = other.lock("x").acquireAsync();
        await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 1);
        first.release();
        next.get(A_MINUTE, TimeUnit.SECONDS).release();
    }

    /** An inbox that somebody relies on is asked once a second whether it lives, by a subscription and by a call. */
    private static long secondsSince(long start) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    }

    /** Claims have the inbox called about once a second in all: each call is a message, and the long way through the script. */
    @Test
    void anInboxIsCalledAboutOnceASecond() throws Exception {
        Lease held = client().lock("x").acquire();
        Leasehold other = client();
        assertThat(other.lock("x").tryAcquire(Duration.ofMillis(1))).isEmpty();
        redis.get().commands().configResetstat();
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            assertThat(other.lock("x").tryAcquire(Duration.ofMillis(1))).isEmpty();
        }
        assertThat(callsOf("publish")).isLessThanOrEqualTo(1 + secondsSince(start));
        held.close();
    }

    @Test
    void oneReleaseWakesOneOfAHundredWaiters() throws Exception {
        RedisClient shared = RedisClient.create();
        try {
            Lease first = client().lock("x").acquire();
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Leasehold client = client(
                        RedisStore.using(shared, RedisURI.create(redis.get().uri())));
                waiters.add(client.lock("x").acquireAsync());
                awaitQueue(i + 1);
            }
            BlockingQueue<String> told = toldFromNowOn(shared);
            first.release();
            Lease second = waiters.get(0).get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(second.isValid()).isTrue();
            redis.get().commands().publish("leasehold:inbox:end", "end");
            assertThat(told.poll(A_MINUTE, TimeUnit.SECONDS)).startsWith("granted|");
            assertThat(told.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo("end");
            assertThat(waiters.stream().filter(CompletableFuture::isDone)).hasSize(1);
            waiters.forEach(waiter -> waiter.cancel(true));
            second.close();
            clients.forEach(Leasehold::close);
        } finally {
            shared.shutdown();
        }
    }

    /** Returns what all inboxes are told, but their own calls. */
    private BlockingQueue<String> toldFromNowOn(RedisClient client) {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        var listener = client.connectPubSub(RedisURI.create(redis.get().uri()));
        listener.addListener(new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String pattern, String channel, String message) {
                if (!message.equals("called")) {
                    told.add(message);
                }
            }
        });
        listener.sync().psubscribe("leasehold:inbox:*");
        return told;
    }

    @Test
    void oneReleasePassesOverAHundredDeadWaiters() throws Exception {
        Lease first = client().lock("x").acquire();
        for (int i = 1; i <= 100; i++) {
            joinAndDie("dead" + i);
        }
        try (QuietWaiter living = QuietWaiter.to(redis.get().uri(), "living", Claim.EXCLUSIVE)) {
            assertThat(living.place()).isEqualTo(101);
            first.release();
            living.granted().get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(calls()).doesNotContainKey("unsubscribe");
        }
    }

    @Test
    void aNewcomerQueuesLastAlsoAfterAClockWasSetBack() throws Exception {
        Lease first = client().lock("x").acquire();
        joinAndDie("earlier");
        // As the server's clock was when it came.
        QueueEntries.change(redis.get().commands(), "leasehold:{x}:queue", parts -> {
            parts[0] = Long.toString(Long.parseLong(parts[0]) + 3_600_000_000L);
            parts[1] = Long.toString(Long.parseLong(parts[1]) + 3_600_000_000L);
            return parts;
        });
        Leasehold client = client();
        CompletableFuture<Lease> later = client.lock("x").acquireAsync();
        awaitQueue(2);
        assertThat(QueueEntries.claims(redis.get().commands(), "leasehold:{x}:queue")
                        .get(0))
                .isEqualTo("earlier:1");
        assertThat(client.locks("x").get(0).waiters())
                .extracting(waiter -> waiter.place())
                .containsExactly(1, 2);
        later.cancel(true);
        first.close();
    }

    /** Leaves the entry of a killed process in the queue, with no listener. */
    private void joinAndDie(String client) {
        String key = "leasehold:{x}";
        redis.get()
                .commands()
                .eval(
                        Script.CLAIM.text(),
                        ScriptOutputType.MULTI,
                        new String[] {key, key + ":token", key + ":queue"},
                        "leasehold|1|" + client + ":1|",
                        "a dead process",
                        "30000",
                        "64",
                        "1|0|-1|1|leasehold:inbox:|x",
                        "12500|" + "0".repeat(32) + "|" + client + ":1|5000|64|leasehold:inbox:" + client
                                + "|a dead process");
    }

    private void awaitQueue(long length) {
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> redis.get().commands().llen("leasehold:{x}:queue") == length);
    }
}
