package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code in the README compiles, and its first example does what it says. */
class ReadmeTest {

    private static final Path ROOT = Pages.ROOT;

    @TempDir
    Path directory;

    @Test
    void itsFirstProgramRuns() throws Exception {
        String program = Pages.classIn("README.md", "Shop");
        assertThat(program.lines()).hasSizeLessThanOrEqualTo(15);
        Pages.compileClass("Shop", program, directory);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            String store = "sqlite:" + directory + "/locks.db";
            loader.loadClass("Shop").getMethod("main", String[].class).invoke(null, (Object) new String[] {store});
        }
        assertThat(directory.resolve("locks.db")).isNotEmptyFile();
    }

    /** With Spring's annotations by their names only; SpringPageTest has the real ones. */
    @Test
    void itsCodeCompiles() throws IOException {
        assertThat(Pages.javaIn("README.md")).hasSizeGreaterThanOrEqualTo(2);
        Pages.compile("README.md", """
                import dev.leasehold.*;
                import java.time.Duration;
                import java.util.*;
                interface Page { void write(long token); }
                static List<Page> report;
                static Leasehold leasehold;
                @interface Locked { String value(); }
                @interface Transactional {}
                interface Invoices { void send(long id); }
                static Invoices invoices;
                """, directory);
    }

    @Test
    void itIsShort() throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve("README.md"))) {
            assertThat(lines.count()).isLessThan(200);
        }
    }

    /** Its figures of speed name the tables that they come from, and those that are not ratios stand there. */
    @Test
    void itsFiguresOfSpeedAreInTheTablesThatItNames() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        String claims = readme.substring(readme.indexOf("Versions compared:"), readme.indexOf("## Use it"));
        String tables = Files.readString(ROOT.resolve("docs/benchmarks.md"));
        assertThat(Pattern.compile("`([a-z0-9-]+)`").matcher(claims).results().map(name -> "(" + name.group() + ")"))
                .hasSize(8)
                .allSatisfy(name -> assertThat(tables).contains(name + "\n"));
        Matcher line = Pattern.compile("(?m)^- (.*) (\\(`[a-z0-9-]+`\\))\\.$").matcher(claims);
        int lines = 0;
        for (; line.find(); lines++) {
            String table =
                    tables.split(Pattern.quote(line.group(2) + "\n"), 2)[1].split("\n### ", 2)[0];
            assertThat(Pattern.compile("\\d{2,}").matcher(line.group(1)).results())
                    .isNotEmpty()
                    .allSatisfy(figure ->
                            assertThat(table.replace(",", "")).containsPattern("\\b" + figure.group() + "\\b"));
        }
        assertThat(lines).isEqualTo(2);
    }

    @Test
    void ciRunsItsTestCommand() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("./mvnw verify");
        assertThat(Files.readString(ROOT.resolve(".ci/run"))).contains("./mvnw verify");
    }

    @Test
    void everyTestThatGuaranteesAndRulesRestOnIsThere() throws IOException {
        Map<String, String> classes = new HashMap<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(path ->
                            path.toString().endsWith(".java") && path.toString().contains("/src/"))
                    .toList()) {
                // Several modules may have a class of that name, as RoomsTest.
                String name = file.getFileName().toString().replace(".java", "");
                classes.merge(name, Files.readString(file), String::concat);
            }
        }
        Matcher named = Pattern.compile("`([A-Z][A-Za-z]+(?:Test|Rules|EndToEnd))(?:\\.([a-z][A-Za-z]+))?`")
                .matcher(Files.readString(ROOT.resolve("docs/guarantees.md"))
                        + Files.readString(ROOT.resolve("docs/internal/shared-rules.md"))
                        + Files.readString(ROOT.resolve("docs/internal/rules.md")));
        int found = 0;
        for (; named.find(); found++) {
            assertThat(classes).containsKey(named.group(1));
            if (named.group(2) != null) {
                assertThat(classes.get(named.group(1))).contains("void " + named.group(2) + "(");
            }
        }
        assertThat(found).isGreaterThan(15);
    }
}
