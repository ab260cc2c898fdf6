package dev.leasehold.redis.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests say when renewals are sent, and what becomes of a batch; the server is played by the test. */
@Tag("slow")
class RenewalsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final RenewAnswer RENEWED = new RenewAnswer.Renewed(Validity.of(new ClockReading(1, 1), LEASE));
    private static final StoreUnavailableException UNAVAILABLE =
            new StoreUnavailableException("it did not answer", "test", Outcome.UNKNOWN, null);

    private final List<Renewals.Renewal> alone = new ArrayList<>();
    private final List<CompletableFuture<RenewAnswer>> aloneAnswers = new ArrayList<>();
    private final List<List<Renewals.Renewal>> batches = new ArrayList<>();
    private final List<CompletableFuture<List<RenewAnswer>>> batchAnswers = new ArrayList<>();
    private boolean connected = true;
    private @Nullable Error error;

    private final Renewals renewals = new Renewals(new Server(), true);

    private final class Server implements Renewals.Sender {

        @Override
        public CompletionStage<List<RenewAnswer>> renew(List<Renewals.Renewal> batch) {
            Error thrown = error;
            if (thrown != null) {
                throw thrown;
            }
            if (batch.size() == 1) {
                alone.add(batch.get(0));
                CompletableFuture<RenewAnswer> answer = answer();
                aloneAnswers.add(answer);
                return answer.thenApply(List::of);
            }
            batches.add(batch);
            CompletableFuture<List<RenewAnswer>> answer = answer();
            batchAnswers.add(answer);
            return answer;
        }

        private <T> CompletableFuture<T> answer() {
            return connected ? new CompletableFuture<>() : CompletableFuture.failedFuture(UNAVAILABLE);
        }
    }

    private List<CompletableFuture<RenewAnswer>> renew(int from, int to) {
        List<CompletableFuture<RenewAnswer>> answers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            answers.add(renewals.renew(lease(i), LEASE).toCompletableFuture());
        }
        return answers;
    }

    private static LeaseId lease(int i) {
        return new LeaseId("lock" + i, new ClaimId("client", i + 1), 1_000_000 + i);
    }

    private static List<RenewAnswer> all(int count) {
        return new ArrayList<>(Collections.nCopies(count, RENEWED));
    }

    @Test
    void fewAreSentAtOnceEachByItself() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 8);
        assertThat(alone).hasSize(8);
        aloneAnswers.get(5).complete(new RenewAnswer.Lost());
        assertThat(answers.get(5)).isCompletedWithValue(new RenewAnswer.Lost());
        assertThat(answers.get(4)).isNotDone();
    }

    @Test
    void manyGatherUntilOneIsAnswered() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 20);
        assertThat(alone).hasSize(8);
        assertThat(batches).isEmpty();
        aloneAnswers.get(0).complete(RENEWED);
        assertThat(batches).hasSize(1);
        assertThat(batches.get(0)).hasSize(12);
        batchAnswers.get(0).complete(all(12));
        assertThat(answers.subList(8, 20))
                .allSatisfy(answer -> assertThat(answer).isCompletedWithValue(RENEWED));
    }

    @Test
    void aFullBatchWaitsForNoAnswer() {
        renew(0, 8 + 64 + 63);
        assertThat(batches).hasSize(1);
        assertThat(batches.get(0)).hasSize(64);
        renew(200, 201);
        assertThat(batches).hasSize(2);
    }

    @Test
    void whatABatchSaysIsNotAskedForAgain() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 10);
        aloneAnswers.get(0).complete(RENEWED);
        batchAnswers.get(0).complete(List.of(RENEWED, new RenewAnswer.Lost()));
        assertThat(answers.get(8)).isCompletedWithValue(RENEWED);
        assertThat(answers.get(9)).isCompletedWithValue(new RenewAnswer.Lost());
        assertThat(alone).hasSize(8);
    }

    /** The user may lack the right to one key of many. */
    @Test
    void aBatchThatIsRefusedIsAskedForOneByOne() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 10);
        aloneAnswers.get(0).complete(RENEWED);
        batchAnswers.get(0).completeExceptionally(new LockException("no right to a key"));
        assertThat(alone).hasSize(10);
        aloneAnswers.get(8).complete(RENEWED);
        aloneAnswers.get(9).completeExceptionally(new LockException("no right to this key"));
        assertThat(answers.get(8)).isCompletedWithValue(RENEWED);
        assertThatThrownBy(answers.get(9)::join).hasMessageContaining("no right to this key");
    }

    /** A server that does not answer would be given twice as much to do. */
    @Test
    void aBatchWithoutAnAnswerIsNotRepeatedHere() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 10);
        aloneAnswers.get(0).complete(RENEWED);
        batchAnswers.get(0).completeExceptionally(UNAVAILABLE);
        assertThat(alone).hasSize(8);
        assertThat(answers.get(9)).isCompletedExceptionally();
    }

    @Test
    void onlyOneQuestionIsSentForTheSameRenewal() {
        CompletableFuture<RenewAnswer> first = renewals.renew(lease(1), LEASE).toCompletableFuture();
        CompletableFuture<RenewAnswer> again = renewals.renew(lease(1), LEASE).toCompletableFuture();
        CompletableFuture<RenewAnswer> longer =
                renewals.renew(lease(1), LEASE.plusMillis(1)).toCompletableFuture();
        assertThat(alone).hasSize(2);
        aloneAnswers.get(0).complete(RENEWED);
        assertThat(first).isCompletedWithValue(RENEWED);
        assertThat(again).isCompletedWithValue(RENEWED);
        assertThat(longer).isNotDone();
        renewals.renew(lease(1), LEASE);
        assertThat(alone).hasSize(3);
    }

    /** Whatever it waits for has perhaps no end. */
    @Test
    void askedAgainWhatHasGatheredIsSent() {
        renew(0, 11);
        assertThat(batches).isEmpty();
        renew(9, 10);
        assertThat(batches).hasSize(1);
        assertThat(batches.get(0)).hasSize(3);
    }

    @Test
    void oneThatHasGatheredAloneIsSentAlone() {
        renew(0, 9);
        aloneAnswers.get(0).complete(RENEWED);
        assertThat(batches).isEmpty();
        assertThat(alone).hasSize(9);
    }

    /** As where memory is short. */
    @Test
    void anErrorOfOurOwnKeepsNoRenewalWaiting() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 12);
        error = new OutOfMemoryError("on purpose");
        aloneAnswers.get(0).complete(RENEWED);
        assertThat(answers.subList(8, 12))
                .allSatisfy(answer -> assertThat(answer).isCompletedExceptionally());
        error = null;
        aloneAnswers.subList(1, 8).forEach(answer -> answer.complete(RENEWED));
        int before = alone.size();
        renew(100, 108);
        assertThat(alone).hasSize(before + 8);
    }

    /** The last of them has no answer in it. */
    @Test
    void aShortAnswerKeepsNoRenewalWaiting() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 12);
        aloneAnswers.get(0).complete(RENEWED);
        batchAnswers.get(0).complete(all(3));
        assertThat(answers.subList(8, 11))
                .allSatisfy(answer -> assertThat(answer).isCompletedWithValue(RENEWED));
        assertThat(answers.get(11)).isCompletedExceptionally();
    }

    /** Each batch that fails at once has the next one sent. */
    @Test
    void manyThatFailAtOnceNeedNoStack() {
        List<CompletableFuture<RenewAnswer>> answers = renew(0, 8 + 63);
        connected = false;
        answers.addAll(renew(1_000, 400_000));
        aloneAnswers.forEach(answer -> answer.completeExceptionally(UNAVAILABLE));
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedExceptionally());
    }

    @Test
    void inAClusterEachIsSentByItself() {
        Renewals cluster = new Renewals(new Server(), false);
        for (int i = 0; i < 100; i++) {
            cluster.renew(lease(i), LEASE);
        }
        assertThat(alone).hasSize(100);
    }
}
