package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No verdict depends on the speed of the machine. So what must happen has 30 s or more for it, unless a comment on its line, or just before
 * it, begins with {@code Bound:} and tells what the bound excludes and why load cannot break it.
 */
class BoundsTest {

    private static final long LEAST_SECONDS = 30;

    private static final String TIME =
            "(?:(?<number>\\d[\\d_]*)L?, *(?:TimeUnit\\.)?(?<unit>NANO|MICRO|MILLI)?SECONDS\\b"
                    + "|(?:Duration\\.)?of(?<plural>Second|Milli|Nano)s\\((?<amount>\\d[\\d_]*)L?\\)"
                    + "|(?:TimeUnit\\.)?(?<from>NANO|MICRO|MILLI)?SECONDS\\.to\\w+\\((?<given>\\d[\\d_]*)L?\\)"
                    + "|(?<name>[A-Z][A-Z_]+)\\b)";

    /** The limit of a wait, or what a measured time is compared with. */
    private static final Pattern BOUND = Pattern.compile("(?:\\.(?:get|await|join|waitFor|awaitTermination|orTimeout"
            + "|atMost|isLessThan|isLessThanOrEqualTo)|\\bassertTimeout(?:Preemptively)?|\\bwithin)\\((?:[^(),]*, *)??"
            + TIME);

    private static final Pattern TRY_THAT_MUST_SUCCEED =
            Pattern.compile("tryAcquire(?:Async)?\\(" + TIME + "\\).*(?:orElseThrow|isPresent|\\.get\\(\\))");
    private static final Pattern DEADLINE = Pattern.compile("nanoTime\\(\\) \\+ " + TIME);
    private static final Pattern ANNOTATION =
            Pattern.compile("@Timeout\\((?:value = )?(?<seconds>\\d+)(?!.*(?:MINUTES|HOURS))");
    private static final List<Pattern> BOUNDS = List.of(BOUND, TRY_THAT_MUST_SUCCEED, DEADLINE);
    private static final Pattern CONSTANT = Pattern.compile("(?:Duration|long|int) ([A-Z][A-Z_]+) = " + TIME);
    private static final Pattern MUST_NOT_HAPPEN =
            Pattern.compile("isFalse\\(\\)|isNull\\(\\)|TimeoutException|assertFalse");

    @Test
    void whatMustHappenHasTimeForIt() throws IOException {
        List<String> short_ = new ArrayList<>();
        int seen = 0;
        for (Path file : ProjectFiles.endingIn(".java")) {
            if (!isOfATest(file)) {
                continue;
            }
            List<String> lines = Files.readAllLines(file);
            Map<String, Long> constants = constants(lines);
            for (int i = 0; i < lines.size(); i++) {
                seen++;
                boolean told = lines.get(i).contains("Bound:")
                        || (i > 0 && lines.get(i - 1).contains("Bound:"));
                boolean bad = MUST_NOT_HAPPEN
                        .matcher(lines.get(i) + lines.get(Math.min(i + 1, lines.size() - 1)))
                        .find();
                long nanos = nanosOfABound(lines.get(i), constants);
                if (!told && !bad && nanos > 0 && nanos < TimeUnit.SECONDS.toNanos(LEAST_SECONDS)) {
                    short_.add(file + ":" + (i + 1) + " " + lines.get(i).strip());
                }
            }
        }
        assertThat(short_).as("bounds of less than %s s", LEAST_SECONDS).isEmpty();
        assertThat(seen).as("lines that were looked at").isGreaterThan(50_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();",
                "future.get(2_000, MILLISECONDS);",
                "await().atMost(Duration.ofSeconds(8)).until(this::done);",
                "assertThat(took).isLessThan(Duration.ofMillis(3_900));",
                "assertThat(took).isLessThan(SECONDS.toNanos(4));",
                "await().atMost(LIMIT).until(this::done);",
                "long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);",
                "lock.tryAcquire(Duration.ofSeconds(5)).orElseThrow();",
                "@Timeout(20)",
                "@Timeout(value = 20, threadMode = SEPARATE_THREAD)",
            })
    void aShortBoundIsSeen(String line) {
        assertThat(nanosOfABound(line, Map.of("LIMIT", 5_000_000_000L))).isLessThan(30_000_000_000L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assertThat(ran.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();",
                "future.get(60, SECONDS);",
                "await().atMost(LIMIT).until(this::done);",
                "LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2))",
                "@Timeout(120)",
            })
    void aLongOneIsNone(String line) {
        assertThat(nanosOfABound(line, Map.of("LIMIT", 60_000_000_000L))).isGreaterThanOrEqualTo(30_000_000_000L);
    }

    @ParameterizedTest
    @CsvSource({"Duration LIMIT = Duration.ofSeconds(5);, 5000000000", "long MOST = SECONDS.toNanos(7);, 7000000000"})
    void aConstantIsKnown(String line, long nanos) {
        assertThat(constants(List.of(line))).containsValue(nanos);
    }

    private static boolean isOfATest(Path file) {
        String path = file.toString().replace('\\', '/');
        return (path.contains("/src/test/") || path.contains("/testkit/src/main/"))
                && !path.endsWith("/BoundsTest.java");
    }

    private static Map<String, Long> constants(List<String> lines) {
        return lines.stream()
                .map(CONSTANT::matcher)
                .filter(Matcher::find)
                .collect(Collectors.toMap(found -> found.group(1), found -> nanos(found, Map.of()), Math::min));
    }

    /** Returns the shortest time that bounds something on a line, or the longest there is if nothing is bounded. */
    private static long nanosOfABound(String line, Map<String, Long> constants) {
        long least = Long.MAX_VALUE;
        for (Pattern pattern : BOUNDS) {
            for (Matcher found = pattern.matcher(line); found.find(); ) {
                least = Math.min(least, nanos(found, constants));
            }
        }
        Matcher annotation = ANNOTATION.matcher(line);
        return annotation.find() ? Math.min(least, TimeUnit.SECONDS.toNanos(number(annotation, "seconds"))) : least;
    }

    private static long nanos(Matcher found, Map<String, Long> constants) {
        if (found.group("number") != null) {
            return unit(found.group("unit")).toNanos(number(found, "number"));
        }
        if (found.group("given") != null) {
            return unit(found.group("from")).toNanos(number(found, "given"));
        }
        if (found.group("amount") != null) {
            return TimeUnit.valueOf(found.group("plural")
                            .replaceFirst("Milli", "MILLISECOND")
                            .replaceFirst("Nano", "NANOSECOND")
                            .toUpperCase(java.util.Locale.ROOT)
                            .concat("S"))
                    .toNanos(number(found, "amount"));
        }
        return constants.getOrDefault(found.group("name"), Long.MAX_VALUE);
    }

    private static TimeUnit unit(String prefix) {
        return TimeUnit.valueOf((prefix == null ? "" : prefix) + "SECONDS");
    }

    private static long number(Matcher found, String group) {
        return Long.parseLong(found.group(group).replace("_", ""));
    }
}
