package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.architecture.Pages;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
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
    void itsCodeCompilesAndRuns() throws Exception {
        List<String> blocks = Pages.javaIn("README.md").stream()
                .map(block -> block.replace("/var/lib/shop/locks.db", directory + "/locks.db"))
                .toList();
        assertThat(blocks).hasSizeGreaterThanOrEqualTo(2);
        assertThat(blocks.get(0).lines()).hasSizeLessThanOrEqualTo(10);

        Pages.compileClass("Readme", source(blocks), directory);

        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Class<?> example = loader.loadClass("Readme");
            Object token = example.getMethod("run").invoke(null);
            assertThat(((Number) token).longValue()).isPositive();
        }
    }

    @Test
    void itIsShort() throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve("README.md"))) {
            assertThat(lines.count()).isLessThan(300);
        }
    }

    @Test
    void ciRunsItsTestCommand() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("./mvnw verify");
        assertThat(Files.readString(ROOT.resolve(".ci/run"))).contains("./mvnw verify");
    }

    @Test
    void everyTestThatTheGuaranteesRestOnIsThere() throws IOException {
        Map<String, String> classes = new HashMap<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(path ->
                            path.toString().endsWith(".java") && path.toString().contains("/src/"))
                    .toList()) {
                classes.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        Matcher named = Pattern.compile("`([A-Z][A-Za-z]+(?:Test|Rules|EndToEnd))(?:\\.([a-z][A-Za-z]+))?`")
                .matcher(Files.readString(ROOT.resolve("docs/guarantees.md")));
        int found = 0;
        for (; named.find(); found++) {
            assertThat(classes).containsKey(named.group(1));
            if (named.group(2) != null) {
                assertThat(classes.get(named.group(1))).contains("void " + named.group(2) + "(");
            }
        }
        assertThat(found).isGreaterThan(15);
    }

    private static String source(List<String> blocks) {
        StringBuilder source = new StringBuilder("""
                import dev.leasehold.*;
                import java.time.Duration;
                import java.util.*;
                public class Readme {
                    static long written;
                    interface Page { void write(long token); }
                    static class Ledger { void write(Object invoice, long token) { written = token; } }
                    public static long run() throws Exception {
                        example0(new Ledger(), "invoice", null, List.of());
                        return written;
                    }
                """);
        for (int i = 0; i < blocks.size(); i++) {
            boolean opens = blocks.get(i).contains("Leasehold leasehold");
            source.append("static void example" + i + "(Ledger ledger, Object invoice, Leasehold "
                    + (opens ? "unused" : "leasehold") + ", List<Page> report) throws Exception {\n");
            source.append(blocks.get(i)).append("}\n");
        }
        return source.append("}\n").toString();
    }
}
