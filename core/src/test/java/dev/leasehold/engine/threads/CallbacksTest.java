package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallbacksTest {

    /** Otherwise the callback's error is taken for a refusal of the users' executor, and the callback runs again. */
    @Test
    void aCallbackThatThrowsRunsOnceAndHurtsNobody() {
        AtomicInteger runs = new AtomicInteger();
        try (Callbacks callbacks = new Callbacks(Runnable::run, true, "callbacks")) {
            assertThatCode(() -> callbacks.execute(() -> {
                        runs.incrementAndGet();
                        throw new IllegalStateException("of the user");
                    }))
                    .doesNotThrowAnyException();
            assertThat(runs).hasValue(1);
            assertThatCode(() -> callbacks.execute(() -> {
                        runs.incrementAndGet();
                        throw new AssertionError("of the user");
                    }))
                    .doesNotThrowAnyException();
            assertThat(runs).hasValue(2);
        }
    }
}
