package dev.leasehold.jdbc.connection;

import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * CallersTransactions warns, once, when a thread asks for a lock while it has a transaction of the data source that locks
 * are taken from: as many such threads as the pool has connections wait for each other until the store's timeout. It is seen
 * where Spring manages the transactions, whose class is asked by its name. Thread-safe.
 */
final class CallersTransactions {

    private static final String SPRING = "org.springframework.transaction.support.TransactionSynchronizationManager";

    private final DataSource source;
    private final @Nullable Method hasResource;
    private final AtomicBoolean warned = new AtomicBoolean();

    CallersTransactions(DataSource source) {
        this.source = source;
        this.hasResource = find(source);
    }

    private static @Nullable Method find(DataSource source) {
        for (ClassLoader loader : new @Nullable ClassLoader[] {
            Thread.currentThread().getContextClassLoader(), source.getClass().getClassLoader()
        }) {
            try {
                return Class.forName(SPRING, false, loader).getMethod("hasResource", Object.class);
            } catch (ReflectiveOperationException | LinkageError e) {
                // Not there, then.
            }
        }
        return null;
    }

    /** Looks at the calling thread, which is the one that asks. */
    void look() {
        if (hasResource == null || warned.get()) {
            return;
        }
        try {
            if (Boolean.TRUE.equals(hasResource.invoke(null, source)) && warned.compareAndSet(false, true)) {
                System.getLogger("dev.leasehold.jdbc")
                        .log(
                                Level.WARNING,
                                "a lock is asked for, or released, by a thread that has a transaction of the data source from"
                                        + " which locks are taken: while it waits it keeps a connection, and as many such"
                                        + " threads as the pool has connections wait for each other. Take locks outside of"
                                        + " transactions (docs/sql.md)");
            }
        } catch (IllegalAccessException | InvocationTargetException e) {
            warned.set(true);
        }
    }
}
