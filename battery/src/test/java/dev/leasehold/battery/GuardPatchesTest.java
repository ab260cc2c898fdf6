package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The patches by which {@code battery/break-guards} switches guards off fit the sources, are named in the tables of rules, and
 * made something red when they were last applied.
 */
class GuardPatchesTest {

    private static final Path ROOT = Path.of("..");
    private static final Path GUARDS = ROOT.resolve("battery/guards");

    private static Map<String, List<String>> patches() throws IOException {
        try (Stream<Path> files = Files.list(GUARDS)) {
            Map<String, List<String>> patches = new TreeMap<>();
            for (Path file : files.toList()) {
                assertThat(file.getFileName().toString()).endsWith(".patch");
                patches.put(
                        file.getFileName().toString().replace(".patch", ""),
                        Files.readAllLines(file).stream()
                                .takeWhile(line -> !line.isEmpty())
                                .toList());
            }
            return patches;
        }
    }

    @Test
    void eachSaysWhatRuleItIsAndWhatGoesRed() throws IOException {
        patches().forEach((name, header) -> {
            assertThat(header).as(name).anyMatch(line -> line.startsWith("Rule: "));
            assertThat(header)
                    .as(name)
                    .anyMatch(line -> line.startsWith("Battery: --") || line.matches("Test: [\\w$#+*,]+"));
        });
    }

    @Test
    void eachFitsTheSources() throws Exception {
        for (String name : patches().keySet()) {
            Process git = new ProcessBuilder("git", "apply", "--check", "battery/guards/" + name + ".patch")
                    .directory(ROOT.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(git.waitFor())
                    .as("where the code of the guard " + name + " has changed, its patch has to change with it: "
                            + said)
                    .isZero();
        }
    }

    @Test
    void eachStandsInTheTablesOfRules() throws IOException {
        String tables = Files.readString(ROOT.resolve("docs/rules.md"))
                + Files.readString(ROOT.resolve("docs/shared-rules.md"))
                + Files.readString(ROOT.resolve("docs/battery.md"));
        assertThat(patches().keySet()).allSatisfy(name -> assertThat(tables).contains("`" + name + "`"));
    }

    @Test
    void eachHasMadeSomethingRed() throws IOException {
        Map<String, String> seen = Files.readAllLines(ROOT.resolve("docs/guard-results.csv")).stream()
                .skip(1)
                .map(line -> line.split(",", 3))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        assertThat(seen.keySet()).isEqualTo(patches().keySet());
        assertThat(seen.values()).allMatch("red"::equals);
    }
}
