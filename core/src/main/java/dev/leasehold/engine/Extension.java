package dev.leasehold.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of {@code extend}. */
final class Extension {

    private final Duration duration;
    final CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
    long askedAt;

    Extension(Duration duration) {
        this.duration = duration;
    }

    Duration duration() {
        return duration;
    }
}
