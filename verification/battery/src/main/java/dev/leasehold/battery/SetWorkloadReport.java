package dev.leasehold.battery;

import java.util.List;
import java.util.Locale;

/** The report is the table of all runs of the set workload. */
record SetWorkloadReport(List<SetWorkload.Outcome> outcomes) {

    static String line(SetWorkload.Outcome outcome) {
        return String.format(
                Locale.ROOT,
                "%-22s %-10s %-8s %5d updates, %3d lost, %3d refused, %3d pauses%s",
                outcome.plan().title(),
                outcome.guard().word(),
                outcome.shared() ? "readers" : "",
                outcome.counts().added(),
                outcome.counts().lost(),
                outcome.counts().refused(),
                outcome.pauses(),
                outcome.shared()
                        ? ", of " + outcome.counts().reads() + " readers "
                                + outcome.counts().torn() + " saw a change"
                        : "");
    }

    /** Returns the table as Markdown. */
    String table() {
        StringBuilder table = new StringBuilder(
                        "\n| store | tokens | updates | lost | refused | pauses | readers | of them saw a change |\n")
                .append("|---|---|--:|--:|--:|--:|--:|--:|\n");
        for (SetWorkload.Outcome outcome : outcomes) {
            GuardedSet.Counts counts = outcome.counts();
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %d | %d | %d | %s | %s |%n",
                    outcome.plan().title(),
                    outcome.guard().word(),
                    counts.added(),
                    counts.lost(),
                    counts.refused(),
                    outcome.pauses(),
                    outcome.shared() ? counts.reads() : "–",
                    outcome.shared() ? counts.torn() : "–"));
        }
        return table.toString();
    }

    boolean isAsExpected() {
        return outcomes.stream().allMatch(SetWorkload.Outcome::isAsExpected);
    }
}
