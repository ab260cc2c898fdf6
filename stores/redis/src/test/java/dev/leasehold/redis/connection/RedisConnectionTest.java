package dev.leasehold.redis.connection;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.internal.Causes;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about one connection, through a client with Lettuce's own defaults: it would reconnect, and send again.
 */
@Tag("slow")
class RedisConnectionTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private FaultProxy proxy;
    private RedisClient client;
    private final RealTime time = new RealTime();

    @BeforeEach
    void start() {
        proxy = FaultProxy.to(redis.get().port());
        client = RedisClient.create();
    }

    @AfterEach
    void stop() {
        client.shutdown(0, 0, TimeUnit.SECONDS);
        time.close();
        proxy.close();
    }

    private RedisConnection connection(Duration mostSilence, Duration answerTimeout) {
        return new RedisConnection(
                client.connect(RedisConnection.CODEC, RedisURI.create("redis://localhost:" + proxy.port())),
                time,
                mostSilence,
                answerTimeout);
    }

    private static CompletableFuture<List<Object>> increment(RedisConnection connection) {
        return connection.send(CommandType.INCR, new CommandArgs<>(RedisConnection.CODEC).addKey("counter"));
    }

    /** Returns why there is no answer; that is not an error of the server. */
    private static Throwable failure(CompletableFuture<?> future) {
        assertThatThrownBy(future::join).isNotNull();
        Throwable failure = Causes.of(future.handle((done, why) -> why).join());
        assertThat(failure).isNotInstanceOf(RedisCommandExecutionException.class);
        return failure;
    }

    private static RedisConnection.LostException lost(CompletableFuture<?> future) {
        return (RedisConnection.LostException) failure(future);
    }

    @Test
    void commandsOfABrokenConnectionAreNeverSentAgain() {
        RedisConnection connection = connection(LONG, LONG);
        proxy.hold(FaultProxy.Way.REQUESTS);
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            futures.add(increment(connection));
        }
        int accepted = proxy.accepted();
        proxy.cut();
        proxy.letGo();
        futures.forEach(RedisConnectionTest::failure);
        await().until(() -> !connection.isOpen());
        await().during(Duration.ofSeconds(1))
                .until(() ->
                        proxy.accepted() == accepted && redis.get().commands().get("counter") == null);
        assertThat(lost(increment(connection)).sent).isFalse();
    }

    @Test
    void silenceWhileAnAnswerIsOwedIsTheEndOfTheConnection() {
        RedisConnection connection = connection(Duration.ofMillis(400), LONG);
        increment(connection).join();
        proxy.blackHole();
        CompletableFuture<?> unanswered = increment(connection);
        await().until(() -> connection.lost().isDone());
        assertThat(connection.lost().join()).contains("nothing came in");
        failure(unanswered);
    }

    @Test
    void silenceIsNoReasonWhileNothingIsOwed() {
        RedisConnection connection = connection(Duration.ofMillis(200), LONG);
        increment(connection).join();
        await().during(Duration.ofSeconds(1)).until(connection::isOpen);
        assertThat(increment(connection).join()).containsExactly(2L);
    }

    @Test
    void aCommandIsWaitedForOnlySoLongAndTheConnectionStays() {
        RedisConnection connection = connection(LONG, Duration.ofMillis(300));
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<?> unanswered = increment(connection);
        await().until(unanswered::isDone);
        assertThat(lost(unanswered).why).contains("no answer within");
        proxy.letGo();
        assertThat(increment(connection).join()).containsExactly(2L);
    }

    @Test
    void manyCommandsComeInOnceEachAndTakeFewReads() {
        RedisConnection connection = connection(LONG, LONG);
        int count = 20_000;
        long before = reads();
        List<CompletableFuture<List<Object>>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            futures.add(increment(connection));
        }
        for (int i = 0; i < count; i++) {
            assertThat(futures.get(i).join()).containsExactly(i + 1L);
        }
        assertThat(reads() - before).isLessThan(count / 10);
    }

    /** Netty's own thread writes at once, ahead of what others have left with it: a withdrawal overtook its claim. */
    @Test
    void commandsOfDifferentThreadsArriveInOrder() {
        RedisConnection connection = connection(LONG, LONG);
        // A thread that waits for an answer also runs what follows from it; for these no thread waits.
        increment(connection);
        increment(connection);
        increment(connection).join();
        for (int i = 0; i < 20; i++) {
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletableFuture<Void> onItsOwnThread = new CompletableFuture<>();
            CompletableFuture<Void> sent = new CompletableFuture<>();
            CompletableFuture<List<Object>> second = increment(connection).thenCompose(answer -> {
                onItsOwnThread.complete(null);
                sent.join();
                return push(connection, "second");
            });
            proxy.letGo();
            onItsOwnThread.join();
            push(connection, "first");
            sent.complete(null);
            second.join();
            assertThat(redis.get().commands().lrange("list", -2, -1)).containsExactly("first", "second");
        }
    }

    private static CompletableFuture<List<Object>> push(RedisConnection connection, String value) {
        return connection.send(
                CommandType.RPUSH,
                new CommandArgs<>(RedisConnection.CODEC).addKey("list").addValue(value));
    }

    private long reads() {
        Matcher reads = Pattern.compile("total_reads_processed:(\\d+)")
                .matcher(redis.get().commands().info("stats"));
        assertThat(reads.find()).isTrue();
        return Long.parseLong(reads.group(1));
    }
}
