package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Guarantee tables are those of docs/guarantees.md that are generated from the committed results: a row for each fault, a
 * column for each store or peer.
 */
final class GuaranteeTables {

    private static final String PAGE = "guarantees.md";

    private static final String GIVEN_WAY =
            " in these lines (lines with broken ones have given way to runs of what was mended:"
                    + " [battery.md](internal/battery.md#what-has-been-run))";

    private final ResultsFile results;

    private GuaranteeTables(ResultsFile results) {
        this.results = results;
    }

    /** Returns the page with its tables generated anew. */
    static String page(Path docs) throws IOException {
        return ResultsFile.replaced(docs.resolve(PAGE), "battery", text(docs));
    }

    /** Writes the page with its tables generated anew. */
    static void write(Path docs) throws IOException {
        Files.writeString(docs.resolve(PAGE), page(docs));
    }

    private static String text(Path docs) throws IOException {
        GuaranteeTables tables = new GuaranteeTables(ResultsFile.read(docs));
        return tables.ours() + "\n" + tables.peers() + "\n" + SetWorkloadRow.table(ResultsFile.lockSets(docs)) + "\n"
                + tables.sum();
    }

    private String ours() {
        return table(results.rows().stream().filter(row -> row.peer().isOurs()).toList());
    }

    private String peers() {
        return table(results.rows().stream().filter(row -> !row.peer().isOurs()).toList());
    }

    private static String title(Row row) {
        boolean named = row.server().matches("\\p{Alpha}.*"); // A Valkey, say.
        String store = !named
                ? row.store().word()
                : row.store() == StoreKind.REDIS ? row.server() : row.store().word() + " on " + row.server();
        return row.peer().isOurs()
                ? named ? store : store + " " + row.server()
                : row.peer().word() + " " + row.library() + " on " + store;
    }

    /** Returns where a column stands: those of one store beside each other, a column for each version of its servers. */
    private static String place(Row row) {
        return String.format(
                java.util.Locale.ROOT,
                "%02d %02d %s",
                row.peer().ordinal(),
                row.store().ordinal(),
                title(row));
    }

    private String table(List<Row> rows) {
        Map<Fault, Map<String, List<Row>>> cells = new TreeMap<>();
        Map<String, String> titles = new TreeMap<>();
        for (Row row : rows) {
            titles.put(place(row), title(row));
            cells.computeIfAbsent(row.fault(), fault -> new TreeMap<>())
                    .computeIfAbsent(title(row), t -> new ArrayList<>())
                    .add(row);
        }
        StringBuilder table = new StringBuilder("| fault |");
        titles.values().forEach(title -> table.append(' ').append(title).append(" |"));
        table.append("\n|---|").append("---|".repeat(titles.size())).append('\n');
        for (Fault fault : Fault.values()) {
            Map<String, List<Row>> of = cells.get(fault);
            if (of != null) {
                table.append("| `").append(fault.word()).append("` |");
                titles.values()
                        .forEach(title -> table.append(' ')
                                .append(of.containsKey(title) ? cell(of.get(title)) : "–")
                                .append(" |"));
                table.append('\n');
            }
        }
        return table.toString();
    }

    /**
     * Returns the text of a cell: the promise and how many held at once, the broken rules, grants, faults and seconds, and
     * the lines of its runs.
     */
    private String cell(List<Row> runs) {
        long overlaps = runs.stream().mapToLong(Row::overlaps).sum();
        String verdict = switch (runs.get(runs.size() - 1).promise()) {
            case EXCLUDED -> "excluded";
            case FENCED -> "fenced only: " + overlaps;
            case NONE -> "no promise: " + overlaps;
        };
        return verdict + broken(runs) + " ("
                + runs.stream().mapToLong(Row::grants).sum() + " / "
                + runs.stream().mapToLong(Row::strikes).sum() + " / "
                + runs.stream().mapToLong(Row::seconds).sum() + ") "
                + results.links(runs);
    }

    /** Names the rules that were broken in these runs, in bold and each after a comma; empty if there are none. */
    static String broken(List<Row> runs) {
        Map<Violation.Rule, Long> broken = runs.stream()
                .flatMap(row -> row.broken().stream())
                .collect(Collectors.groupingBy(rule -> rule, TreeMap::new, Collectors.counting()));
        return broken.entrySet().stream()
                .map(each -> ", **" + each.getKey() + " " + each.getValue() + "**")
                .collect(Collectors.joining());
    }

    private String sum() {
        StringBuilder text = new StringBuilder();
        for (boolean ours : new boolean[] {true, false}) {
            List<Row> of = results.rows().stream()
                    .filter(row -> row.peer().isOurs() == ours)
                    .toList();
            text.append(String.format(
                    java.util.Locale.ROOT,
                    "%s: %d runs, %.0f minutes, %d grants, %d faults, %d broken promises%s; dates %s; seeds %s.%n",
                    ours ? "Our stores" : "Peers",
                    of.size(),
                    of.stream().mapToLong(Row::seconds).sum() / 60.0,
                    of.stream().mapToLong(Row::grants).sum(),
                    of.stream().mapToLong(Row::strikes).sum(),
                    of.stream().mapToLong(row -> row.broken().size()).sum(),
                    ours ? GIVEN_WAY : "",
                    distinct(of, row -> row.date().toString()),
                    distinct(of, row -> Long.toString(row.seed()))));
        }
        return text.toString();
    }

    private static String distinct(List<Row> rows, java.util.function.Function<Row, String> part) {
        return String.join(
                ", ", Arrays.asList(rows.stream().map(part).distinct().toArray(String[]::new)));
    }
}
