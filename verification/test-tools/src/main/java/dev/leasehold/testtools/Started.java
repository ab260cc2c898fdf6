package dev.leasehold.testtools;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A started resource is there before a test begins and closed after it: a server, say. In a static field with
 * {@code @RegisterExtension} all tests of the class share it, nested ones too; in an instance field each test has one of
 * its own, which is started before the methods with {@code @BeforeEach} and closed after those with {@code @AfterEach}.
 *
 * @param <T> the type of the resource
 */
public final class Started<T extends AutoCloseable> implements BeforeAllCallback, BeforeEachCallback {

    private final Callable<T> start;
    private @Nullable T started;

    /**
     * Notes how to start the resource.
     *
     * @param start starts it
     */
    public Started(Callable<T> start) {
        this.start = start;
    }

    /** {@return the resource, the same for all tests that share this field} */
    public T get() {
        return Objects.requireNonNull(started, "it has not been started: is the field a @RegisterExtension?");
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        startIn(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        startIn(context);
    }

    /**
     * Starts the resource in a context, unless it is there. A test and a nested class find the resource that the class
     * around them has put there; it is closed together with the context that it was put into.
     */
    private void startIn(ExtensionContext context) throws Exception {
        ExtensionContext.Store kept = context.getStore(Namespace.create(Started.class));
        if (kept.get(this) == null) {
            T fresh = start.call();
            started = fresh;
            kept.put(this, fresh);
        }
    }
}
