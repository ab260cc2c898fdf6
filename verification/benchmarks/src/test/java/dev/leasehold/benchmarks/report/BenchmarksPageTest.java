package dev.leasehold.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class BenchmarksPageTest {

    @TempDir
    private Path directory;

    private static Outcome outcome(String name, double rate) {
        return outcome(name, rate, 1);
    }

    private static Outcome outcome(String name, double rate, int threads) {
        Map<String, Samples> samples = new LinkedHashMap<>();
        for (String contestant : List.of("bare", "Leasehold")) {
            Samples own = new Samples();
            own.add(Metric.RATE, contestant.equals("bare") ? 2 * rate : rate);
            samples.put(contestant, own);
        }
        return new Outcome(
                name,
                "Title of " + name,
                List.of(Metric.RATE),
                "Leasehold",
                samples,
                "*how*",
                new Outcome.Point("Redis", 1, threads, 1));
    }

    @Test
    void aRunReplacesWhatItHasMeasuredAndNothingElse() throws IOException {
        Path file = directory.resolve("benchmarks.md");
        Files.writeString(file, "# By hand\n\nBefore.\n");
        BenchmarksPage page = new BenchmarksPage(file, List.of("one", "two", "three"));
        page.update(List.of(outcome("three", 30), outcome("one", 10)));
        Files.writeString(file, Files.readString(file) + "\nAfter.\n");
        page.update(List.of(outcome("two", 2000), outcome("one", 1000)));
        String text = Files.readString(file);
        assertThat(text)
                .startsWith("# By hand\n\nBefore.\n\n<!-- begin one -->")
                .endsWith("<!-- end three -->\n\nAfter.\n")
                .contains("| Leasehold | **1,000** |", "| bare | **2,000** | 0.50 × |", "| Leasehold | **30** |")
                .doesNotContain("**10**");
        assertThat(text.indexOf("<!-- begin two -->"))
                .isBetween(text.indexOf("<!-- end one -->"), text.indexOf("<!-- begin three -->"));
        assertThat(directory.resolve("benchmarks/two.svg")).content().contains("<svg", "2,000");
    }

    @Test
    void aPlotOfScalingNeedsSeveralPoints() throws IOException {
        Path file = directory.resolve("benchmarks.md");
        BenchmarksPage page = new BenchmarksPage(file, List.of("1", "4", "16", "64"));
        List<Outcome> four =
                List.of(outcome("1", 10, 1), outcome("4", 40, 4), outcome("16", 160, 16), outcome("64", 640, 64));
        page.update(four.subList(0, 3));
        assertThat(file).content().doesNotContain("scaling");
        page.update(four);
        assertThat(file)
                .content()
                .contains(
                        "<!-- end 64 -->\n\n<!-- begin scaling-threads-redis -->",
                        "### Redis: threads of one process on one lock\n",
                        "(benchmarks/scaling-threads-redis.svg)",
                        "--workload 1,4,16,64`")
                .doesNotContain("scaling-processes", "scaling-locks");
        assertThat(directory.resolve("benchmarks/scaling-threads-redis.svg"))
                .content()
                .contains("<svg", "Leasehold: 640", ">64<");
    }

    @Test
    void aContestantThatHasFailedIsNamedWithTheReason() {
        Outcome outcome = outcome("one", 1);
        outcome.samples().get("bare").fail("it has | hung");
        assertThat(MarkdownTable.of(outcome)).contains("| bare | *failed: it has / hung* |");
    }
}
