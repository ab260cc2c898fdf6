package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.spring.InvalidLockedMethodException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** This failure analyzer prints which annotation cannot work. */
final class InvalidLockedMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockedMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, InvalidLockedMethodException cause) {
        return new FailureAnalysis(cause.problem(), cause.remedy(), cause);
    }
}
