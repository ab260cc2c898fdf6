package dev.leasehold.spring;

/**
 * This enum says how a call ends if it does not get its lock in time, or its instance does not lead. The method does
 * not run either way.
 */
public enum OnBusy {

    /** The call fails with an exception. */
    THROW,

    /**
     * The call returns without a result: nothing, {@link java.util.Optional#empty()}, null, or an empty reactive stream. Refused
     * at start-up for a method whose return type has no such value.
     */
    SKIP
}
