package dev.leasehold.battery;

import dev.leasehold.battery.Words.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The README's table is what is guaranteed in a newcomer's words, generated from the promises by which the judge goes and
 * from the committed results; docs/guarantees.md has the runs of each of its cells.
 */
final class ReadmeTable {

    /** The label of a link that the page defines below the table: so the table can be read as text, too. */
    private static final String BACKING = "[backing]";

    /** The rules whose breaking would make a cell's words untrue. */
    private static final Set<Violation.Rule> SAID = EnumSet.of(
            Violation.Rule.EXCLUSION,
            Violation.Rule.TOKENS,
            Violation.Rule.TRUTH,
            Violation.Rule.NO_MAJORITY,
            Violation.Rule.GOES_ON);

    private final ResultsFile results;
    private final List<SetWorkloadRow> lockSets;

    private ReadmeTable(ResultsFile results, List<SetWorkloadRow> lockSets) {
        this.results = results;
        this.lockSets = lockSets;
    }

    private static ReadmeTable of(Path docs) throws IOException {
        return new ReadmeTable(ResultsFile.read(docs), ResultsFile.lockSets(docs));
    }

    /** Returns the README with its table generated anew. */
    static String readme(Path docs, Language language) throws IOException {
        Path page = docs.resolveSibling(language.page());
        return ResultsFile.replaced(page, "guarantees", of(docs).table(language));
    }

    /** Returns docs/guarantees.md with the table of runs behind the README's table generated anew. */
    static String guarantees(Path docs) throws IOException {
        return ResultsFile.replaced(docs.resolve("guarantees.md"), "readme", of(docs).backing());
    }

    /** Writes all three pages with their tables generated anew. */
    static void write(Path docs) throws IOException {
        for (Language language : Language.values()) {
            Files.writeString(docs.resolveSibling(language.page()), readme(docs, language));
        }
        Files.writeString(docs.resolve("guarantees.md"), guarantees(docs));
    }

    private String table(Language language) {
        List<String> lines = new ArrayList<>();
        lines.add(new Words("fault", "故障").in(language)
                + columns().stream()
                        .map(column -> " | " + column.title().in(language))
                        .collect(Collectors.joining()));
        lines.add("---" + "|---".repeat(columns().size()));
        for (ReadmeRow row : ReadmeRow.values()) {
            lines.add(row.title().in(language)
                    + columns().stream()
                            .map(column -> " | "
                                    + row.cell(column)
                                            .map(cell -> text(row, cell, language))
                                            .orElse("–"))
                            .collect(Collectors.joining()));
        }
        return lines.stream()
                .map(line -> line.startsWith("---") ? "|" + line + "|\n" : "| " + line + " |\n")
                .collect(Collectors.joining());
    }

    private static List<ReadmeColumn> columns() {
        return List.of(ReadmeColumn.values());
    }

    private String text(ReadmeRow row, ReadmeCell cell, Language language) {
        Promise promise = row.promise(cell.column());
        String text = cell.text(promise, language);
        Optional<String> mark = mark(row, cell, language);
        if (mark.isPresent()) {
            return text + " [" + mark.get() + "]" + BACKING + broken(row, cell, language);
        }
        return promise == Promise.NONE ? text : text + new Words(" (not run)", "（未实测）").in(language);
    }

    /** Returns how often the battery did it, and whether tests show the rest; empty if there is neither. */
    private Optional<String> mark(ReadmeRow row, ReadmeCell cell, Language language) {
        long strikes = strikes(row, cell);
        String tests = new Words("tests", "测试").in(language);
        if (strikes == 0) {
            return cell.tests().isEmpty() ? Optional.empty() : Optional.of(tests);
        }
        String partly = cell.open().isEmpty() ? "" : new Words(" in part", "（部分）").in(language);
        return Optional.of(strikes + "×" + (cell.tests().isEmpty() ? "" : " + " + tests) + partly);
    }

    private String broken(ReadmeRow row, ReadmeCell cell, Language language) {
        long broken = row == ReadmeRow.PAUSED
                ? sets(cell).stream().mapToLong(set -> set.lost() + set.torn()).sum()
                : runs(row, cell).stream()
                        .flatMap(run -> run.broken().stream())
                        .filter(SAID::contains)
                        .count();
        return broken == 0 ? "" : " **" + new Words("broken", "违反").in(language) + " " + broken + "×**";
    }

    private long strikes(ReadmeRow row, ReadmeCell cell) {
        return row == ReadmeRow.PAUSED
                ? sets(cell).stream().mapToLong(SetWorkloadRow::pauses).sum()
                : runs(row, cell).stream().mapToLong(Row::strikes).sum();
    }

    private List<Row> runs(ReadmeRow row, ReadmeCell cell) {
        return results.rows().stream()
                .filter(run -> run.peer().isOurs()
                        && cell.column().stores().contains(run.store())
                        && row.faults().contains(run.fault()))
                .toList();
    }

    /** Returns the lock sets of a cell in which the resource uses the tokens as it should. */
    private List<SetWorkloadRow> sets(ReadmeCell cell) {
        return lockSets.stream()
                .filter(set -> set.peer().isOurs()
                        && set.guard() == Guard.REGISTERED
                        && cell.column().stores().contains(set.store()))
                .toList();
    }

    private String backing() {
        StringBuilder table = new StringBuilder(
                "| fault | store | what holds | runs | tests | what neither shows |\n" + "|---|---|---|---|---|---|\n");
        for (ReadmeRow row : ReadmeRow.values()) {
            for (ReadmeColumn column : columns()) {
                row.cell(column).ifPresent(cell -> table.append(backing(row, cell)));
            }
        }
        return table.toString();
    }

    private String backing(ReadmeRow row, ReadmeCell cell) {
        Promise promise = row.promise(cell.column());
        return String.format(
                "| %s | %s | %s | %s | %s | %s |%n",
                row.title().english(),
                cell.column().title().english(),
                cell.text(promise, Language.ENGLISH),
                row == ReadmeRow.PAUSED ? pauses(cell) : links(row, cell),
                cell.tests().isEmpty()
                        ? "–"
                        : cell.tests().stream().map(test -> "`" + test + "`").collect(Collectors.joining(", ")),
                cell.open().isEmpty()
                        ? strikes(row, cell) == 0 && cell.tests().isEmpty() && promise != Promise.NONE
                                ? "all of it"
                                : "–"
                        : cell.open());
    }

    private String pauses(ReadmeCell cell) {
        List<SetWorkloadRow> sets = sets(cell);
        return "[lock sets](" + ResultsFile.LOCK_SETS + ") of "
                + sets.stream().map(set -> set.store().word()).distinct().collect(Collectors.joining(", ")) + ": "
                + sets.stream().mapToLong(SetWorkloadRow::lost).sum() + " lost of "
                + sets.stream().mapToLong(SetWorkloadRow::updates).sum();
    }

    private String links(ReadmeRow row, ReadmeCell cell) {
        String text = Arrays.stream(Fault.values())
                .map(fault -> runs(row, cell).stream()
                        .filter(run -> run.fault() == fault)
                        .toList())
                .filter(runs -> !runs.isEmpty())
                .map(runs -> "`" + runs.get(0).fault().word() + "` " + byStore(runs) + GuaranteeTables.broken(runs))
                .collect(Collectors.joining("; "));
        return text.isEmpty() ? "–" : text;
    }

    private String byStore(List<Row> runs) {
        return runs.stream()
                .map(Row::store)
                .distinct()
                .map(store -> store.word() + " "
                        + results.links(runs.stream()
                                .filter(run -> run.store() == store)
                                .toList()))
                .collect(Collectors.joining(", "));
    }
}
