package dev.leasehold.spring.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** This failure analyzer prints what keeps the client from being made. */
final class LeaseholdFailureAnalyzer extends AbstractFailureAnalyzer<LeaseholdStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, LeaseholdStartException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
