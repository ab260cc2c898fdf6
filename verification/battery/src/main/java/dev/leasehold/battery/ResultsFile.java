package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A results file is the committed list of runs, a line for each, to which the generated tables link. */
final class ResultsFile {

    /** Its name, beside the pages of docs. */
    static final String NAME = "battery-results.csv";

    /** The name of the list of lock sets. */
    static final String LOCK_SETS = "battery-lock-sets.csv";

    private final List<Row> rows;

    /** The line of each run in its file. Runs are compared by identity, because two may have come to the same. */
    private final Map<Row, Integer> lines = new IdentityHashMap<>();

    private ResultsFile(List<Row> rows) {
        this.rows = rows;
        for (Row row : rows) {
            lines.put(row, lines.size() + 2); // The first line names the columns, and they count from 1.
        }
    }

    static ResultsFile read(Path docs) throws IOException {
        return new ResultsFile(
                lines(docs.resolve(NAME)).stream().map(Row::parse).toList());
    }

    /** Reads the lock sets, which have a file of their own. */
    static List<SetWorkloadRow> lockSets(Path docs) throws IOException {
        return lines(docs.resolve(LOCK_SETS)).stream()
                .map(SetWorkloadRow::parse)
                .toList();
    }

    List<Row> rows() {
        return rows;
    }

    /** Returns links to the lines of these runs. */
    String links(List<Row> runs) {
        return runs.stream()
                .map(run -> "[" + lines.get(run) + "](" + NAME + "#L" + lines.get(run) + ")")
                .collect(Collectors.joining(" "));
    }

    /** Returns a page with the text between two markers, {@code <!-- name -->} and {@code <!-- /name -->}, replaced. */
    static String replaced(Path page, String name, String text) throws IOException {
        String begin = "<!-- " + name + " -->\n";
        String end = "<!-- /" + name + " -->";
        String old = Files.readString(page);
        int from = old.indexOf(begin) + begin.length();
        int to = old.indexOf(end);
        if (from < begin.length() || to < from) {
            throw new IllegalStateException("no markers " + begin.strip() + " and " + end + " in " + page);
        }
        return old.substring(0, from) + text + old.substring(to);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file).stream().skip(1).toList() : List.of();
    }
}
