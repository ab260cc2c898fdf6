package dev.leasehold.spring.boot.autoconfigure;

import java.util.List;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Failure returns what Spring Boot prints of a failure, by the analyzers that it finds itself. */
final class Failure {

    private Failure() {}

    static FailureAnalysis analysis(Throwable failure) {
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, unusable) -> {});
        return analyzers.stream()
                .filter(analyzer -> analyzer.getClass().getName().startsWith("dev.leasehold"))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(java.util.Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody analyses", failure));
    }
}
