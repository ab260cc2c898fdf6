package dev.leasehold.engine.queue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An extension is one call of {@code extend}, with the outcome that its caller waits for. */
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
