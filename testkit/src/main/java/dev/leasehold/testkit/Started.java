package dev.leasehold.testkit;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A started resource is used by all tests of a class, nested ones too: a server, say. It is started before the first test
 * and closed after the last. For a static field with {@code @RegisterExtension}.
 *
 * @param <T> the type of the resource
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

    /** {@return the resource, the same for all tests of a class} */
    public T get() {
        return Objects.requireNonNull(started, "it has not been started: is the field a @RegisterExtension?");
    }

    /**
     * A nested class finds the resource that the class around it has put there; it is closed together with the class that
     * put it there.
     */
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
