package dev.leasehold.redis.quorum;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A fan-out is one question to all nodes at once, with the answer of each.
 *
 * @param answers null where there was none
 * @param failures null where there was an answer
 */
record FanOut<T>(List<@Nullable T> answers, List<@Nullable Throwable> failures) {

    /** Completes when all nodes have answered or failed to. */
    static <T> CompletableFuture<FanOut<T>> of(Quorum quorum, Function<Voter, CompletionStage<T>> question) {
        List<CompletableFuture<T>> stages = new ArrayList<>();
        for (Voter voter : quorum.voters()) {
            stages.add(question.apply(voter).toCompletableFuture());
        }
        return CompletableFuture.allOf(stages.toArray(CompletableFuture<?>[]::new))
                .handle((done, failed) -> {
                    List<@Nullable T> answers = new ArrayList<>();
                    List<@Nullable Throwable> failures = new ArrayList<>();
                    for (CompletableFuture<T> stage : stages) {
                        stage.handle((answer, failure) -> {
                            answers.add(answer);
                            failures.add(failure);
                            return answer;
                        });
                    }
                    return new FanOut<>(Collections.unmodifiableList(answers), Collections.unmodifiableList(failures));
                });
    }

    int answered() {
        return (int) failures.stream().filter(failure -> failure == null).count();
    }

    String words(int node) {
        Throwable failure = failures.get(node);
        return failure == null ? "answered" : QuorumFailures.words(failure);
    }
}
