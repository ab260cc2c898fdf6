package dev.leasehold.spring.internal;

import org.jspecify.annotations.Nullable;

/**
 * Name templates tell the template of the name of the lock that this thread is just asking for. The number of templates
 * in a program is bounded, that of names is not: so a metric can be told apart by template. Read it in {@link
 * dev.leasehold.observe.LeaseholdObserver#asked}, which is called on the thread that asks.
 */
public final class NameTemplates {

    private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

    private NameTemplates() {}

    /** {@return the template, null if the lock is not asked for by an annotation} */
    public static @Nullable String current() {
        return CURRENT.get();
    }

    /**
     * Sets the template, or clears it.
     *
     * @param template null for none
     */
    public static void set(@Nullable String template) {
        if (template == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(template);
        }
    }
}
