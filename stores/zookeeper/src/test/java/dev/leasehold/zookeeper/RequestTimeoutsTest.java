package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.test.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The limits of requests, in virtual time. */
@Tag("slow")
class RequestTimeoutsTest {

    private final VirtualTime time = new VirtualTime();
    private final RequestTimeouts timeouts =
            new RequestTimeouts(time, Duration.ofSeconds(1), SerialExecutor.on(Runnable::run));

    @Test
    void theTimeInWhichAQuestionStartsTheConnectionCounts() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        long asked = time.nanos();
        time.advance(Duration.ofMillis(900));
        timeouts.await(answer, asked, () -> new LockException("no answer"));

        time.advance(Duration.ofMillis(49));
        assertThat(answer).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(answer).isCompletedExceptionally();
    }

    @Test
    @DisplayName("A question that starts the connection for too long is answered at once")
    void aQuestionThatConnectsForTooLongIsAnsweredAtOnce() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        long asked = time.nanos();
        time.advance(Duration.ofSeconds(2));
        timeouts.await(answer, asked, () -> new LockException("no answer"));

        time.advance(Duration.ZERO);
        assertThat(answer).isCompletedExceptionally();
    }
}
