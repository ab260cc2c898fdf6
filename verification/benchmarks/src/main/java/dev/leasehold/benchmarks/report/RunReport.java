package dev.leasehold.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run report consists of the files that a run leaves in its directory: {@code results.csv}, {@code results.md} and {@code
 * index.html}, written anew after each workload.
 */
public final class RunReport {

    private final Path directory;
    private final String machine;
    private final List<Outcome> outcomes = new ArrayList<>();

    public RunReport(Path directory, String machine) {
        this.directory = directory;
        this.machine = machine;
    }

    public List<Outcome> outcomes() {
        return outcomes;
    }

    public void add(Outcome outcome) throws IOException {
        outcomes.add(outcome);
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("results.csv"), Csv.of(outcomes));
        Files.writeString(directory.resolve("index.html"), HtmlPage.of(machine, outcomes));
        StringBuilder tables = new StringBuilder(machine + "\n");
        for (Outcome each : outcomes) {
            tables.append("\n## ")
                    .append(each.title())
                    .append("\n\n")
                    .append(MarkdownTable.of(each))
                    .append('\n')
                    .append(each.how())
                    .append('\n');
        }
        Files.writeString(directory.resolve("results.md"), tables.toString());
    }

    /** The lines on the terminal when a workload is done. */
    public static List<String> lines(Outcome outcome) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, Samples> each : outcome.samples().entrySet()) {
            lines.add(MarkdownTable.line(each, outcome.columns()));
        }
        return lines;
    }
}
