package dev.leasehold.jdbc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.StoreUnavailableException.Outcome;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StoreOperationTest {

    private final AtomicReference<Outcome> told = new AtomicReference<>();
    private final StoreOperation<String> job = new StoreOperation<>((protocol, now) -> "", answer -> {}, true, 0);

    @Test
    void whatIsGivenUpBeforeTheCommitIsNeverCommitted() {
        giveUp();
        assertThat(job.commits()).isFalse();
        assertThat(told).hasValue(Outcome.NOT_ACQUIRED);
    }

    @Test
    void whatIsGivenUpDuringTheCommitIsUnknown() {
        assertThat(job.commits()).isTrue();
        giveUp();
        assertThat(told).hasValue(Outcome.UNKNOWN);
        job.succeed("too late");
        assertThat(job.answer()).isCompletedExceptionally();
    }

    @Test
    void whatIsAnsweredStaysAnswered() {
        job.commits();
        job.succeed("done");
        giveUp();
        assertThat(told).hasNullValue();
        assertThat(job.answer()).isCompletedWithValue("done");
    }

    private void giveUp() {
        job.fail(outcome -> {
            told.set(outcome);
            return new IllegalStateException();
        });
    }
}
