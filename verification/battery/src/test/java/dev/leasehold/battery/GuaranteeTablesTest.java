package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tables of the guarantees are those that the committed results give: {@code verification/battery/leasehold-battery --tables docs} writes them. */
@Tag("slow")
class GuaranteeTablesTest {

    private static final Path DOCS = Pages.ROOT.resolve("docs");

    @TempDir
    private Path directory;

    private static Row row(Promise promise, long overlaps, List<Violation.Rule> broken) {
        return row(StoreKind.REDIS, "7.0.15", promise, overlaps, broken);
    }

    private static Row row(
            StoreKind store, String server, Promise promise, long overlaps, List<Violation.Rule> broken) {
        return new Row(
                LocalDate.of(2026, 11, 25),
                Peer.LEASEHOLD,
                "0.1",
                store,
                server,
                Fault.FLUSH,
                promise,
                20,
                100,
                3,
                overlaps,
                broken,
                1_500,
                24,
                2_000,
                3,
                Double.NaN);
    }

    private String page(Row... rows) throws IOException {
        Files.writeString(
                directory.resolve("guarantees.md"), "before\n<!-- battery -->\nold\n<!-- /battery -->\nafter\n");
        StringBuilder lines = new StringBuilder(Row.HEADER).append('\n');
        for (Row row : rows) {
            lines.append(row.toLine()).append('\n');
        }
        Files.writeString(directory.resolve(ResultsFile.NAME), lines.toString());
        return GuaranteeTables.page(directory);
    }

    @Test
    void thePageHasTheTablesOfTheCommittedResults() throws IOException {
        assertThat(Files.readString(DOCS.resolve("guarantees.md")))
                .as("docs/guarantees.md; write it by verification/battery/leasehold-battery --tables docs")
                .isEqualTo(GuaranteeTables.page(DOCS));
    }

    @Test
    void runsOfOneCellAreAddedUp() throws IOException {
        assertThat(page(row(Promise.FENCED, 2, List.of()), row(Promise.FENCED, 1, List.of())))
                .startsWith("before\n<!-- battery -->\n| fault | redis 7.0.15 |")
                .contains(
                        "| `flush` | fenced only: 3 (200 / 6 / 40) [2](battery-results.csv#L2) [3](battery-results.csv#L3) |")
                .doesNotContain("old")
                .endsWith("<!-- /battery -->\nafter\n");
    }

    @Test
    void eachVersionOfAServerHasAColumnOfItsOwn() throws IOException {
        assertThat(page(
                        row(StoreKind.REDLOCK, "valkey 8.1.1", Promise.FENCED, 0, List.of()),
                        row(StoreKind.REDIS, "valkey 8.1.1", Promise.FENCED, 1, List.of()),
                        row(StoreKind.REDIS, "8.0.2", Promise.FENCED, 2, List.of()),
                        row(Promise.FENCED, 3, List.of())))
                .contains("| fault | redis 7.0.15 | redis 8.0.2 | valkey 8.1.1 | redlock on valkey 8.1.1 |")
                .contains("| `flush` | fenced only: 3 (100 / 3 / 20) [5](battery-results.csv#L5) "
                        + "| fenced only: 2 (100 / 3 / 20) [4](battery-results.csv#L4) ");
    }

    @Test
    void aBrokenPromiseIsShown() throws IOException {
        assertThat(page(row(Promise.EXCLUDED, 0, List.of(Violation.Rule.WAITING, Violation.Rule.WAITING))))
                .contains("| excluded, **WAITING 2** (100 / 3 / 20) [2](");
    }

    @Test
    void aRowIsReadAsItWasWritten() {
        Row row = row(Promise.NONE, 7, List.of(Violation.Rule.ORDER, Violation.Rule.TOKENS));
        assertThat(Row.parse(row.toLine())).isEqualTo(row);
        Row noted = Row.parse(row.toLine() + ",2.5");
        assertThat(noted.load()).isEqualTo(2.5);
        assertThat(Row.parse(noted.toLine())).isEqualTo(noted);
    }
}
