package dev.leasehold.doctor;

import dev.leasehold.doctor.Finding.Severity;
import java.util.Comparator;
import java.util.List;

/**
 * An examination is the list of findings about a store. Immutable.
 *
 * <p>Later versions may add parts: read it by its accessors, and leave its making to the library.
 *
 * @param findings the findings, the worst first
 */
public record Examination(List<Finding> findings) {

    /** Sorts the findings. */
    public Examination {
        findings = findings.stream()
                .sorted(Comparator.comparing(Finding::severity))
                .toList();
    }

    /** {@return the severity of the worst finding, {@link Severity#FINE} if there is none} */
    public Severity worst() {
        return findings.isEmpty() ? Severity.FINE : findings.get(0).severity();
    }

    /** {@return how far locks in this store can be relied on, in a few sentences for people} */
    public String verdict() {
        if (worst() == Severity.SERIOUS) {
            return "Do not rely on locks here before what is serious has been mended.";
        }
        List<String> faults = findings.stream()
                .map(Finding::fault)
                .filter(fault -> !fault.isEmpty())
                .distinct()
                .toList();
        String excluded = "A lock here has one holder at a time who may believe that he holds it";
        return faults.isEmpty()
                ? excluded
                        + ", under every fault that was looked for. What a holder was doing when his process was paused is "
                        + "fenced only, as everywhere: where two at once would do harm, have the resource refuse smaller tokens."
                : excluded + ", except after: " + String.join("; ", faults)
                        + ". Then locks are fenced only: two may believe it for a while, and their tokens tell them apart. Good "
                        + "enough to save double work; where two at once would do harm, have the resource refuse smaller tokens.";
    }
}
