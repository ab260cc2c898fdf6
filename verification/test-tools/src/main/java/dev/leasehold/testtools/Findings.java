package dev.leasehold.testtools;

import dev.leasehold.Leasehold;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import java.util.List;

/** Findings reads what a doctor has found, for tests of a store's examination. */
public final class Findings {

    private Findings() {}

    /**
     * Examines a store with a client of its own.
     *
     * @param uri names the store, as in {@link Leasehold#connect}
     * @return what was found
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    public static Examination examine(String uri) throws InterruptedException {
        try (Leasehold leasehold = Leasehold.connect(uri)) {
            return leasehold.examine();
        }
    }

    /**
     * Returns the codes of all findings of a severity.
     *
     * @param examination what was found
     * @param severity how bad they are
     * @return the codes in order, each once
     */
    public static List<String> codes(Examination examination, Severity severity) {
        return codes(examination.findings(), severity);
    }

    /**
     * Returns the codes of all findings of a severity.
     *
     * @param findings what was found
     * @param severity how bad they are
     * @return the codes in order, each once
     */
    public static List<String> codes(List<Finding> findings, Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .map(Finding::code)
                .sorted()
                .distinct()
                .toList();
    }

    /**
     * Returns the finding that has a code.
     *
     * @param code its code
     * @param examination what was found
     * @return the first of that code
     * @throws AssertionError if there is none
     */
    public static Finding the(String code, Examination examination) {
        return examination.findings().stream()
                .filter(finding -> finding.code().equals(code))
                .findFirst()
                .orElseThrow(() -> new AssertionError(code + " not in " + examination));
    }
}
