package dev.leasehold.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LingerTest {

    private final DefaultEventExecutor connection =
            new DefaultEventExecutor(new DefaultThreadFactory("linger-test", true));
    private final List<Boolean> looks = new ArrayList<>();
    private final Linger linger = new Linger(this::look);
    private CountDownLatch sent = new CountDownLatch(0);

    @AfterEach
    void end() {
        connection.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** What Spin would be asked, as soon as the caller has sent its next command. */
    private void look(BooleanSupplier commandThere) {
        try {
            sent.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        looks.add(commandThere.getAsBoolean());
    }

    private void onConnection(Runnable task) throws Exception {
        connection.submit(task).get();
    }

    private List<Boolean> looks() throws Exception {
        onConnection(() -> {});
        return looks;
    }

    @Test
    void itLooksAfterAnAnswerThatFreesItsCaller() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        linger.after(answer, "released"::equals);
        onConnection(() -> answer.complete("released"));
        assertThat(looks()).hasSize(1);
    }

    @Test
    void itDoesNotLookWhereTheCallerGoesOnWaiting() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        linger.after(answer, "granted"::equals);
        onConnection(() -> answer.complete("busy"));
        assertThat(looks()).isEmpty();
    }

    /** The asker's thread may be an event loop of the user's. */
    @Test
    void itDoesNotLookWhereTheAnswerWasThereAtOnce() throws Exception {
        onConnection(() -> linger.after(CompletableFuture.completedFuture("released"), any -> true));
        assertThat(looks()).isEmpty();
    }

    @Test
    void itDoesNotLookAfterAFailure() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        linger.after(answer, any -> true);
        onConnection(() -> answer.completeExceptionally(new IllegalStateException("refused")));
        assertThat(looks()).isEmpty();
    }

    /** Answers of other locks would wait. */
    @Test
    void itDoesNotLookWhileAnAnswerIsOwed() throws Exception {
        CompletableFuture<String> owed = new CompletableFuture<>();
        linger.after(owed, any -> false);
        onConnection(linger::afterNews);
        assertThat(looks()).isEmpty();
        owed.complete("there");
        onConnection(linger::afterNews);
        assertThat(looks()).hasSize(1);
    }

    @Test
    void aQuestionThatFailedIsNotOwedAnyMore() throws Exception {
        CompletableFuture<String> owed = new CompletableFuture<>();
        linger.after(owed, any -> false);
        owed.completeExceptionally(new IllegalStateException("lost"));
        onConnection(linger::afterNews);
        assertThat(looks()).hasSize(1);
    }

    @Test
    void itFindsTheCommandThatItsCallerSends() throws Exception {
        sent = new CountDownLatch(1);
        onConnection(linger::afterNews);
        connection.execute(() -> {});
        sent.countDown();
        assertThat(looks()).containsExactly(true);
    }

    @Test
    void itFindsNothingWhereNothingIsSent() throws Exception {
        CountDownLatch looked = new CountDownLatch(1);
        List<Boolean> found = new ArrayList<>();
        Linger alone = new Linger(commandThere -> {
            found.add(commandThere.getAsBoolean());
            looked.countDown();
        });
        connection.execute(alone::afterNews);
        assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(found).containsExactly(false);
    }

    @Test
    void noOtherThreadIsKept() throws Exception {
        linger.afterNews();
        assertThat(looks()).isEmpty();
    }
}
