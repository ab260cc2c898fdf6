package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A report is the table of all runs: which store, under which fault, with how many grants and faults, and what was wrong. */
record Report(long seed, List<Result> results) {

    boolean hasViolations() {
        return results.stream().anyMatch(result -> !result.violations().isEmpty());
    }

    /** Writes one run. */
    static String line(Result result) {
        return String.format(
                Locale.ROOT,
                "%-22s %-19s %-9s %7d grants %4d faults %3d violations, %d at once, longest wait %.1f s",
                result.plan().title(),
                result.plan().fault().word(),
                promised(result),
                result.grants(),
                result.strikes(),
                result.violations().size(),
                result.overlaps(),
                seconds(result));
    }

    private static String promised(Result result) {
        return result.promise().name().toLowerCase(Locale.ROOT);
    }

    private static double seconds(Result result) {
        return result.longestWait().toMillis() / 1000.0;
    }

    /** Returns all runs, as Markdown. */
    String table() {
        StringBuilder table = new StringBuilder(
                        "\n| store | fault | promise | seconds | grants | faults | two at once | longest wait | violations |\n")
                .append("|---|---|---|--:|--:|--:|--:|--:|---|\n");
        for (Result result : results) {
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %d | %d | %d | %d | %.1f s | %s |%n",
                    result.plan().title(),
                    result.plan().fault().word(),
                    promised(result),
                    result.took().toSeconds(),
                    result.grants(),
                    result.strikes(),
                    result.overlaps(),
                    seconds(result),
                    words(result.violations())));
        }
        return table.append(String.format(
                        Locale.ROOT,
                        "%nSeed %d, %.1f minutes: %d grants, %d faults, %d violations.%n",
                        seed,
                        results.stream()
                                        .mapToLong(result -> result.took().toSeconds())
                                        .sum()
                                / 60.0,
                        results.stream().mapToLong(Result::grants).sum(),
                        results.stream().mapToLong(Result::strikes).sum(),
                        results.stream()
                                .mapToLong(result -> result.violations().size())
                                .sum()))
                .toString();
    }

    private static String words(List<Violation> violations) {
        return violations.isEmpty()
                ? "none"
                : violations.size() + ": "
                        + String.join(
                                ", ",
                                violations.stream()
                                        .map(violation -> violation.rule().name())
                                        .distinct()
                                        .toList());
    }

    /** Writes the table beside the directories of the runs. */
    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("report.md"), table().stripLeading());
    }
}
