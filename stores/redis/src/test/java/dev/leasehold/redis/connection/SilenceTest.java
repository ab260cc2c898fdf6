package dev.leasehold.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A silent connection counts as broken after some time; with a clock that a test moves. */
class SilenceTest {

    private static final Duration SILENCE = Duration.ofSeconds(2);
    private static final Duration LONG = Duration.ofSeconds(60);

    private record Task(long due, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private final List<AsyncCommand<String, String, List<Object>>> written = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 1_000_000_000L;
    private int closings;

    private final TimeSource time = new TimeSource() {
        @Override
        public ClockReading now() {
            return new ClockReading(nanos, nanos / 1000);
        }

        @Override
        public Timer schedule(Duration delay, Runnable action) {
            Task task = new Task(nanos + delay.toNanos(), action);
            tasks.add(task);
            return () -> tasks.remove(task);
        }
    };

    @SuppressWarnings("unchecked")
    private final StatefulRedisConnection<String, String> connection =
            (StatefulRedisConnection<String, String>) Proxy.newProxyInstance(
                    SilenceTest.class.getClassLoader(),
                    new Class<?>[] {StatefulRedisConnection.class},
                    (proxy, method, args) -> switch (method.getName()) {
                        case "isOpen" -> true;
                        case "addListener" -> null;
                        case "dispatch" -> {
                            written.add((AsyncCommand<String, String, List<Object>>) args[0]);
                            yield args[0];
                        }
                        case "closeAsync" -> {
                            closings++;
                            yield CompletableFuture.completedFuture(null);
                        }
                        default -> throw new IllegalStateException(method.getName());
                    });

    private CompletableFuture<List<Object>> send(RedisConnection redisConnection) {
        return redisConnection.send(CommandType.PING, new CommandArgs<>(RedisConnection.CODEC));
    }

    /** The process is stopped: time passes, and nothing runs until it goes on. */
    private void stopFor(Duration duration) {
        nanos += duration.toNanos();
        List<Task> due = new ArrayList<>(tasks);
        due.removeIf(task -> nanos - task.due() < 0);
        tasks.removeAll(due);
        due.forEach(task -> task.action().run());
    }

    private void pass(Duration duration) {
        for (long left = duration.toMillis(); left > 0; left -= 10) {
            stopFor(Duration.ofMillis(Math.min(10, left)));
        }
    }

    @Test
    void unreadAnswersAreReadBeforeSilenceIsConcluded() {
        RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, LONG);
        CompletableFuture<List<Object>> answer = send(redisConnection);
        stopFor(Duration.ofSeconds(10));
        assertThat(redisConnection.isOpen()).isTrue();
        written.get(0).complete(List.of());
        pass(Duration.ofSeconds(10));
        assertThat(redisConnection.isOpen()).isTrue();
        assertThat(answer).isCompletedWithValue(List.of());
    }

    @Test
    void silenceIsConcludedAlsoAfterAStopOfTheProcess() {
        for (Duration pause : List.of(Duration.ofMillis(10), Duration.ofSeconds(10))) {
            RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, LONG);
            send(redisConnection);
            stopFor(pause);
            pass(SILENCE.plusMillis(10));
            assertThat(redisConnection.isOpen())
                    .as("after a pause of %s", pause)
                    .isFalse();
        }
        assertThat(closings).isEqualTo(2);
    }

    @Test
    void anAnswerEndsTheSilenceDespiteGivenUpCommands() {
        RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, LONG);
        CompletableFuture<List<Object>> givenUp = send(redisConnection);
        CompletableFuture<List<Object>> second = send(redisConnection);
        givenUp.completeExceptionally(new IllegalStateException("given up"));
        pass(Duration.ofSeconds(1));
        second.complete(List.of());
        pass(Duration.ofSeconds(30));
        assertThat(redisConnection.isOpen()).isTrue();
    }

    /** Each time-out of the user's client counted as something heard, and a dead connection was never replaced. */
    @Test
    void aCommandThatTheClientLibraryHasGivenUpIsNoAnswer() {
        RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, LONG);
        for (int i = 0; i < 6 && redisConnection.isOpen(); i++) {
            send(redisConnection);
            pass(Duration.ofMillis(500));
            written.get(i).completeExceptionally(new RedisCommandTimeoutException("Command timed out after 500 ms"));
        }
        assertThat(redisConnection.isOpen()).isFalse();
    }

    @Test
    void anErrorOfTheServerIsAnAnswer() {
        RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, LONG);
        for (int i = 0; i < 6; i++) {
            send(redisConnection);
            pass(Duration.ofMillis(500));
            written.get(i).completeExceptionally(new RedisCommandExecutionException("ERR"));
        }
        assertThat(redisConnection.isOpen()).isTrue();
    }

    @Test
    void aCommandThatIsGivenUpIsStillOwedAnAnswer() {
        RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, Duration.ofSeconds(1));
        CompletableFuture<List<Object>> late = send(redisConnection);
        pass(Duration.ofMillis(1_100));
        assertThat(late).isCompletedExceptionally();
        assertThat(redisConnection.isOpen()).isTrue();
        pass(SILENCE);
        assertThat(redisConnection.isOpen()).isFalse();
    }

    @Test
    void commandsFailWithTheirConnection() {
        RedisConnection redisConnection = new RedisConnection(connection, time, SILENCE, LONG);
        CompletableFuture<List<Object>> owed = send(redisConnection);
        redisConnection.lose("a test wants it");
        assertThat(owed).isCompletedExceptionally();
        assertThat(send(redisConnection)).isCompletedExceptionally();
        assertThat(written).hasSize(1);
        assertThat(closings).isEqualTo(1);
    }
}
