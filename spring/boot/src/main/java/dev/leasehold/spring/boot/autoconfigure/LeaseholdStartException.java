package dev.leasehold.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * A Leasehold start exception says that the client could not be made of what the application has. {@link
 * LeaseholdFailureAnalyzer} prints it.
 */
public final class LeaseholdStartException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    LeaseholdStartException(String description, String action, @Nullable Throwable cause) {
        super(description + " " + action, cause);
        this.description = description;
        this.action = action;
    }

    String description() {
        return description;
    }

    String action() {
        return action;
    }
}
