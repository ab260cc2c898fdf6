package dev.leasehold.observe;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * A lock call is one call to obtain a lock, as {@link LeaseholdObserver observers} see it. No two are equal.
 *
 * @param client the client that is asked
 * @param number counts the observed calls of the client
 * @param namespace the client's namespace; for a {@linkplain Leasehold#prefixed view}, with the view's behind a colon;
 *     empty for none
 * @param lock the lock's name, without the namespace
 * @param share with how many holders at most, itself included, the caller would coexist: 1 for a mutex and a writer, the number
 *     of permits for a semaphore, {@link Integer#MAX_VALUE} for a reader
 * @param kind how it is asked for
 * @param maxWait how long the caller waits for a holder: zero for one try, {@link LockOptions#FOREVER} for without limit
 */
public record LockCall(
        ObservedClient client, long number, String namespace, String lock, int share, Kind kind, Duration maxWait) {

    /** A kind says how a lock is asked for. */
    public enum Kind {
        /** The caller tries once. */
        TRY,
        /** The caller waits, with or without a limit. */
        WAIT,
        /** A candidate stands for an office. */
        ELECTION
    }

    /** A mode says with which holders a caller would share a lock. */
    public enum Mode {
        /** The caller would share the lock with no other holder: a mutex, or the writer of a read-write lock. */
        EXCLUSIVE,
        /** The caller would share the lock with the holders of the other permits of a semaphore. */
        PERMIT,
        /** The caller would share the lock with all other readers. */
        READER
    }

    /** Checks the parts. */
    public LockCall {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(maxWait, "maxWait");
    }

    /** {@return with which holders the caller would share the lock: one of few values, for metrics} */
    public Mode mode() {
        return switch (share) {
            case 1 -> Mode.EXCLUSIVE;
            case Integer.MAX_VALUE -> Mode.READER;
            default -> Mode.PERMIT;
        };
    }
}
