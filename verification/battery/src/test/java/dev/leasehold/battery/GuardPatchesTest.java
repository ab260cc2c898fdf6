package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The patches by which {@code verification/battery/break-guards} switches guards off fit the sources, are named in the tables of rules, and
 * made something red as they are.
 */
@Tag("slow")
class GuardPatchesTest {

    private static final Path ROOT = Pages.ROOT;

    private static Map<String, List<String>> patches() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("verification/battery/guards"))) {
            Map<String, List<String>> patches = new TreeMap<>();
            for (Path file : files.toList()) {
                assertThat(file.getFileName().toString()).endsWith(".patch");
                patches.put(file.getFileName().toString().replace(".patch", ""), Files.readAllLines(file));
            }
            return patches;
        }
    }

    private static List<String> header(List<String> patch) {
        return patch.subList(0, patch.indexOf(""));
    }

    @Test
    void eachSaysWhatRuleItIsAndWhatGoesRed() throws IOException {
        patches().forEach((name, patch) -> {
            assertThat(header(patch)).as(name).anyMatch(line -> line.startsWith("Rule: "));
            if (header(patch).stream().anyMatch(line -> line.startsWith("Battery: --"))) {
                assertThat(header(patch)).as(name).anyMatch(line -> line.matches("Red: [A-Z_]+"));
            } else {
                assertThat(header(patch))
                        .as(name)
                        .anyMatch(line -> line.matches("Test: [\\w$#+*,]+"))
                        .anyMatch(line -> line.startsWith("Module: ")
                                && Files.exists(ROOT.resolve(line.substring(8)).resolve("pom.xml")));
            }
        });
    }

    @Test
    void eachFitsTheSourcesAtOnePlaceOnly() throws IOException {
        for (Map.Entry<String, List<String>> each : patches().entrySet()) {
            GuardPatch patch = new GuardPatch(ROOT, each.getValue());
            assertThatCode(patch::applied)
                    .as("where what the guard %s changes has changed, its patch has to", each.getKey())
                    .doesNotThrowAnyException();
            assertThat(patch.strays())
                    .as("the patch of the guard %s needs more context, so that it goes nowhere else", each.getKey())
                    .isEmpty();
        }
    }

    @Test
    void eachStandsInTheTablesOfRules() throws IOException {
        String tables = Files.readString(ROOT.resolve("docs/internal/rules.md"))
                + Files.readString(ROOT.resolve("docs/internal/shared-rules.md"))
                + Files.readString(ROOT.resolve("docs/internal/battery.md"));
        assertThat(patches().keySet()).allSatisfy(name -> assertThat(tables).contains("`" + name + "`"));
    }

    @Test
    void eachHasMadeSomethingRedAsItIs() throws IOException {
        Map<String, String> seen = Files.readAllLines(ROOT.resolve("docs/internal/guard-results.csv")).stream()
                .skip(1)
                .map(line -> line.split(",", 7))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1] + " " + parts[5]));
        Map<String, String> red = patches().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, patch -> "red " + identity(patch.getValue())));
        assertThat(seen).isEqualTo(red);
    }

    /** Returns what a red is about: the hash of the lines that a patch changes, and of what has to fail. */
    private static String identity(List<String> patch) {
        String about = patch.stream()
                .filter(line -> line.matches("(Test: |Battery: |[-+]).*") && !line.matches("(--- a|\\+\\+\\+ b)/.*"))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(about.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
