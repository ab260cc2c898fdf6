package dev.leasehold.spring;

import dev.leasehold.LockBusyException;
import org.jspecify.annotations.Nullable;

/**
 * This enum says how a call ends if it does not get its lock in time, or its instance does not lead. The method does
 * not run either way.
 */
public enum OnBusy {

    /** The call fails with an exception. */
    THROW,

    /**
     * The call returns without a result: nothing, {@link java.util.Optional#empty()}, null, or an empty reactive stream. Refused
     * at start-up for a method whose return type has no such value. A call that waits when its client is closed, as at a
     * shutdown, returns so, too.
     */
    SKIP;

    /** Returns whether a call that has not run its body may be skipped for this failure. */
    static boolean isBusy(@Nullable Throwable failure) {
        return failure instanceof LockBusyException
                || (failure instanceof IllegalStateException
                        && String.valueOf(failure.getMessage()).startsWith("this Leasehold was closed while "));
    }
}
