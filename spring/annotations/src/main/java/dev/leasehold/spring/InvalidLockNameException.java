package dev.leasehold.spring;

import dev.leasehold.LockException;
import org.jspecify.annotations.Nullable;

/**
 * An invalid lock name exception says that the name of a lock could not be made of the arguments of a call. Nothing was
 * locked, and the method has not run.
 */
public final class InvalidLockNameException extends LockException {

    private static final long serialVersionUID = 1L;

    InvalidLockNameException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
