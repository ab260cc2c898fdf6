package dev.leasehold.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The model of the quorum holds within its bounds, and it bites: each rule that is dropped is missed. A configuration in
 * {@code holds} or {@code extended} names the states that it must at least reach, lest a mistake makes it check nothing; one in
 * {@code broken} has exactly one invariant, which must be violated.
 *
 * <p>What TLC finds must be what is on record, if anything is. What is large, and has not changed since it was recorded, is checked in the
 * extended run. {@code -Dgolden=write} records what is found.
 */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class QuorumModelTest {
    private static final Path TLA = Path.of("src", "main", "tla");
    private static final Path MODULE = TLA.resolve("Quorum.tla");
    private static final Recorded RECORDED = Recorded.read();
    private static final Path PAGE = Path.of("README.md");

    @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
    @MethodSource
    void holds(Path configuration) {
        checkThatItHolds(configuration);
    }

    /** Two of the numbers on the page are sums of others there. */
    @Test
    void thePageAddsUp() throws IOException {
        String page = Files.readString(PAGE);
        long generated = 0;
        long distinct = 0;
        Matcher rows = Pattern.compile("(?m)^\\| `holds/[\\w-]+` \\| ([\\d,]+) \\| ([\\d,]+) \\|")
                .matcher(page);
        for (; rows.find(); distinct += number(rows.group(2))) {
            generated += number(rows.group(1));
        }
        assertThat(page)
                .containsPattern(String.format(
                        Locale.ROOT, "together have %,d states generated\\s+and %,d distinct", generated, distinct));
    }

    private static long number(String text) {
        return Long.parseLong(text.replace(",", ""));
    }

    private static String nameOf(Path configuration) {
        return configuration.getFileName().toString().replace(".cfg", "");
    }

    @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
    @MethodSource
    @Tag("extended")
    void holdsAsRecorded(Path configuration) {
        checkThatItHolds(configuration);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    @Tag("extended")
    void holdsInLargerWorlds(Path configuration) {
        checkThatItHolds(configuration);
    }

    private static void checkThatItHolds(Path configuration) {
        Tlc.Result result = check(configuration);

        assertThat(result.violated()).as(result.output()).isEmpty();
        assertThat(result.completed()).as(result.output()).isTrue();
        assertThat(result.distinct())
                .isGreaterThanOrEqualTo(Long.parseLong(
                        only(configuration, "At least (\\d+) distinct states").group(1)));
    }

    static Stream<Path> holds() {
        return configurations("holds").filter(configuration -> !isLargeAndUnchanged(configuration));
    }

    static Stream<Path> holdsAsRecorded() {
        return configurations("holds").filter(QuorumModelTest::isLargeAndUnchanged);
    }

    static Stream<Path> holdsInLargerWorlds() {
        return configurations("extended");
    }

    @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
    @MethodSource
    void broken(Path configuration) {
        checkThatItIsBroken(configuration);
    }

    @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
    @MethodSource
    @Tag("extended")
    void brokenAsRecorded(Path configuration) {
        checkThatItIsBroken(configuration);
    }

    private static void checkThatItIsBroken(Path configuration) {
        Tlc.Result result = check(configuration);

        assertThat(result.violated())
                .as(result.output())
                .contains(only(configuration, "(?m)^INVARIANTS (\\w+)$").group(1));
    }

    static Stream<Path> broken() {
        return configurations("broken").filter(configuration -> !isLargeAndUnchanged(configuration));
    }

    static Stream<Path> brokenAsRecorded() {
        return configurations("broken").filter(QuorumModelTest::isLargeAndUnchanged);
    }

    private static boolean isLargeAndUnchanged(Path configuration) {
        return RECORDED.isLargeAndUnchanged(MODULE, configuration);
    }

    @Test
    void everyRuleIsDroppedOnce() {
        String rules = only(MODULE, "(?s)Rules == \\{(.*?)\\}").group(1);
        Set<String> dropped = new TreeSet<>();
        configurations("broken")
                .forEach(configuration -> dropped.addAll(
                        quoted(only(configuration, "Broken = \\{(.*)\\}").group(1))));

        assertThat(dropped).containsExactlyInAnyOrderElementsOf(quoted(rules));
    }

    /** There is a line for each, with what it violates. */
    @Test
    void thePageTellsWhatIsDropped() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(configurations("broken")).allSatisfy(configuration -> {
            String name = nameOf(configuration);
            String violated = only(configuration, "(?m)^INVARIANTS (\\w+)$").group(1);
            assertThat(page)
                    .containsPattern("(?m)^\\| `" + Pattern.quote(name) + "` \\| .* \\| `" + violated + "` \\|$");
        });
    }

    /** The counts on the page are those on record. */
    @Test
    void thePageTellsWhatWasCounted() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(Stream.concat(configurations("holds"), configurations("extended"))
                        .filter(RECORDED::has))
                .hasSizeGreaterThan(10)
                .allSatisfy(configuration -> {
                    String name = Recorded.name(configuration);
                    String[] counts = RECORDED.counts(name).split(" ");
                    assertThat(page)
                            .contains("| `%s` | %,d | %,d | %s |"
                                    .formatted(name, Long.parseLong(counts[0]), Long.parseLong(counts[1]), counts[2]));
                });
    }

    private static Tlc.Result check(Path configuration) {
        Tlc.Result result = Tlc.check(MODULE, configuration);
        System.out.printf("%-40s %s%n", TLA.relativize(configuration), result);
        if ("write".equals(System.getProperty("golden"))) {
            RECORDED.write(MODULE, configuration, result);
        }
        if (RECORDED.has(configuration)) {
            assertThat(Recorded.counts(result)).isEqualTo(RECORDED.counts(Recorded.name(configuration)));
        }
        return result;
    }

    private static Stream<Path> configurations(String directory) {
        try (Stream<Path> files = Files.list(TLA.resolve(directory))) {
            return files.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> quoted(String text) {
        return Pattern.compile("\"([^\"]+)\"")
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static MatchResult only(Path file, String pattern) {
        try {
            Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
            List<MatchResult> found = matcher.results().toList();
            assertThat(found).as("%s in %s", pattern, file).hasSize(1);
            return found.get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
