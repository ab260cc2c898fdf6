package dev.leasehold.engine.queue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of {@code extend}. */
public final class Extension {

    private final Duration duration;
    public final CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
    long askedAt;

    public Extension(Duration duration) {
        this.duration = duration;
    }

    Duration duration() {
        return duration;
    }
}
