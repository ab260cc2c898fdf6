package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.LockException;
import dev.leasehold.spring.InvalidLockNameException;
import dev.leasehold.spring.LockInsideTransactionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** This failure analyzer prints why a locked method that was called during the start could not be run. */
final class LockCallFailureAnalyzer extends AbstractFailureAnalyzer<LockException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, LockException cause) {
        if (cause instanceof LockInsideTransactionException) {
            return new FailureAnalysis(
                    cause.getMessage(),
                    "Call the method outside of the transaction, or write @Locked(transaction = HOLD_UNTIL_COMPLETION).",
                    cause);
        }
        return cause instanceof InvalidLockNameException
                ? new FailureAnalysis(cause.getMessage(), "Pass a value, or change the name in @Locked.", cause)
                : null;
    }
}
