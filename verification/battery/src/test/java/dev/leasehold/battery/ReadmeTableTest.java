package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.architecture.Pages;
import dev.leasehold.battery.Words.Language;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The README's table is the one that the committed results give: {@code verification/battery/leasehold-battery --tables docs} writes it. */
@Tag("slow")
class ReadmeTableTest {

    private static final Path DOCS = Pages.ROOT.resolve("docs");
    private static final String LINK = "[backing]";

    @TempDir
    private Path directory;

    private Path docs;

    @BeforeEach
    void makePages() throws IOException {
        docs = Files.createDirectory(directory.resolve("docs"));
        Files.writeString(
                directory.resolve("README.md"), "before\n<!-- guarantees -->\nold\n<!-- /guarantees -->\nafter\n");
    }

    private String table(String run, String lockSet) throws IOException {
        Files.writeString(docs.resolve(ResultsFile.NAME), Row.HEADER + "\n" + run);
        Files.writeString(docs.resolve(ResultsFile.LOCK_SETS), SetWorkloadRow.HEADER + "\n" + lockSet);
        return ReadmeTable.readme(docs, Language.ENGLISH);
    }

    @ParameterizedTest
    @EnumSource
    void theReadmeHasTheTableOfTheCommittedResults(Language language) throws IOException {
        assertThat(Files.readString(DOCS.resolveSibling(language.page())))
                .as(language.page() + "; write it by verification/battery/leasehold-battery --tables docs")
                .isEqualTo(ReadmeTable.readme(DOCS, language));
    }

    @Test
    void theGuaranteesNameTheRunsBehindIt() throws IOException {
        assertThat(Files.readString(DOCS.resolve("guarantees.md")))
                .as("docs/guarantees.md; write it by verification/battery/leasehold-battery --tables docs")
                .isEqualTo(ReadmeTable.guarantees(DOCS));
    }

    @Test
    void aCellSaysHowOftenItWasTried() throws IOException {
        assertThat(table("2026-11-25,leasehold,0.1,redis,7.0,kill,EXCLUDED,20,99,12,0,,1500,24,2000,3\n", ""))
                .startsWith("before\n<!-- guarantees -->\n| fault | SQLite file |")
                .contains("| holder or waiter killed (`kill -9`) | one holder (not run) | one holder (not run) "
                        + "| one holder [12×]" + LINK + " | one holder (not run) |")
                .contains("| client's wall clock jumps | one holder [tests]" + LINK + " |")
                .doesNotContain("old\n<")
                .endsWith("<!-- /guarantees -->\nafter\n");
    }

    @Test
    void aCellSaysThatItWasBroken() throws IOException {
        String run = "2026-11-25,leasehold,0.1,redis,7.0,kill,EXCLUDED,20,99,12,0,TOKENS AVAILABILITY,1500,24,2000,3\n";
        String lockSet = "2026-11-25,leasehold,sqlite,registered,false,27,2,6,0,0,6,24\n";
        assertThat(table(run, lockSet))
                .contains("| one holder [12×]" + LINK + " **broken 1×** |")
                .contains("then goes on | tokens tell [6×]" + LINK + " **broken 2×** | tokens tell (not run) |");
    }

    @Test
    void runsOfPeersBackNothing() throws IOException {
        assertThat(table("2026-11-25,redisson,4.7,redis,7.0,kill,EXCLUDED,20,99,12,0,,1500,24,2000,3\n", ""))
                .doesNotContain("12×");
    }

    @Test
    void wordsThatWereWrittenForAnotherPromiseAreRefused() {
        ReadmeCell cell = ReadmeCell.of(ReadmeColumn.REDLOCK).saying(Promise.EXCLUDED, "%s, goes on", "%s，照常工作");
        assertThat(cell.text(Promise.EXCLUDED, Language.ENGLISH)).isEqualTo("one holder, goes on");
        assertThatThrownBy(() -> cell.text(Promise.FENCED, Language.ENGLISH)).hasMessageContaining("FENCED");
    }
}
