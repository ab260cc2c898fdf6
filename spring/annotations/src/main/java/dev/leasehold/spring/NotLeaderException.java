package dev.leasehold.spring;

import dev.leasehold.LockException;

/** A not leader exception says that this instance does not lead; the method has not run. */
public final class NotLeaderException extends LockException {

    private static final long serialVersionUID = 1L;

    NotLeaderException(String office) {
        super("this instance does not lead '" + office
                + "'; nothing was run. Elections.election(name).leader() says who does");
    }
}
