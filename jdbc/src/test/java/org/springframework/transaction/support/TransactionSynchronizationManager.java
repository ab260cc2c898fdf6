package org.springframework.transaction.support;

/** Stands in for Spring's class of this name, of which one method is asked. */
public final class TransactionSynchronizationManager {

    private static final ThreadLocal<Object> BOUND = new ThreadLocal<>();

    private TransactionSynchronizationManager() {}

    /** Says of what the calling thread has a transaction. */
    public static void bind(Object resource) {
        BOUND.set(resource);
    }

    /** Says that it has none. */
    public static void unbind() {
        BOUND.remove();
    }

    /** As Spring's. */
    public static boolean hasResource(Object key) {
        return BOUND.get() == key;
    }
}
