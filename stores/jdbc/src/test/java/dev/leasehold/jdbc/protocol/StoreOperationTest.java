package dev.leasehold.jdbc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException.Outcome;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StoreOperationTest {

    private final AtomicReference<Outcome> told = new AtomicReference<>();
    private final StoreOperation<String> operation = new StoreOperation<>((protocol, now) -> "", answer -> {}, true);

    @Test
    void whatIsGivenUpBeforeTheCommitIsNeverCommitted() {
        giveUp();
        assertThat(operation.commits()).isFalse();
        assertThat(told).hasValue(Outcome.NOT_CARRIED_OUT);
    }

    @Test
    void whatIsGivenUpDuringTheCommitIsUnknown() {
        assertThat(operation.commits()).isTrue();
        giveUp();
        assertThat(told).hasValue(Outcome.UNKNOWN);
        operation.succeed("too late");
        assertThat(operation.answer()).isCompletedExceptionally();
    }

    @Test
    void whatIsAnsweredStaysAnswered() {
        operation.commits();
        operation.succeed("done");
        giveUp();
        assertThat(told).hasNullValue();
        assertThat(operation.answer()).isCompletedWithValue("done");
    }

    private void giveUp() {
        operation.fail(outcome -> {
            told.set(outcome);
            return new IllegalStateException();
        });
    }
}
