package dev.leasehold.testkit;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * What all tests of a class use, nested ones too: a server, say. Started before the first, closed after the last. For a static
 * field with {@code @RegisterExtension}.
 *
 * @param <T> what it is
 */
public final class Started<T extends AutoCloseable> implements BeforeAllCallback {

    private final Callable<T> start;
    private @Nullable T started;

    /**
     * Notes how to start it.
     *
     * @param start starts it
     */
    public Started(Callable<T> start) {
        this.start = start;
    }

    /**
     * What was started.
     *
     * @return the same for all tests of a class
     */
    public T get() {
        return Objects.requireNonNull(started, "it has not been started: is the field a @RegisterExtension?");
    }

    /** A nested class finds what the class around it has put there; what is there is closed with the class it was put by. */
    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        ExtensionContext.Store kept = context.getStore(Namespace.create(Started.class));
        if (kept.get(this) == null) {
            T fresh = start.call();
            started = fresh;
            kept.put(this, fresh);
        }
    }
}
