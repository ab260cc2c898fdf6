package dev.leasehold.simulator;

import java.util.List;
import java.util.Map;

/**
 * A report is the result of a run.
 *
 * @param seed its seed
 * @param hash over everything that happened: the same for the same seed
 * @param events how much happened
 * @param granted how often the store granted a lease
 * @param held how many holds callers had
 * @param scenario what kind of run it was
 * @param seen how often each kind of event has happened
 * @param findings the violations; empty if there are none
 */
public record SimReport(
        long seed,
        long hash,
        long events,
        long granted,
        long held,
        String scenario,
        Map<String, Long> seen,
        List<String> findings) {

    /** Makes the list unmodifiable. */
    public SimReport {
        seen = Map.copyOf(seen);
        findings = List.copyOf(findings);
    }

    /** {@return the run in words on several lines, with the command that replays it} */
    public String describe() {
        return "seed " + seed + " (" + scenario + "): " + granted + " grants, " + held + " holds, " + events
                + " events\n  " + (findings.isEmpty() ? "nothing wrong" : String.join("\n  ", findings))
                + "\n  replay: " + replay(seed) + (" -Dleasehold.kind=" + kind());
    }

    private SimKind kind() {
        return scenario.contains(" whole")
                ? SimKind.WHOLE
                : scenario.contains(" shared ") ? SimKind.SHARED : SimKind.LOCKS;
    }

    private static String replay(long seed) {
        return "./mvnw -q -pl verification/simulator -am test -Dtest=SimulatorTest#replay -Dleasehold.seed=" + seed
                + " -Dleasehold.trace=true -Dsurefire.failIfNoSpecifiedTests=false";
    }
}
