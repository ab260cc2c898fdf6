package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The quick loop runs what the modules' profiles name, and a name that fits no class is passed over in silence. */
class QuickLoopTest {

    private static final Pattern NAMED = Pattern.compile("<id>fast</id>.*?<test>(.*?)</test>", Pattern.DOTALL);

    @Test
    void everyTestThatAProfileNamesIsThere() throws IOException {
        List<String> missing = new ArrayList<>();
        int seen = 0;
        for (Path pom : ProjectFiles.endingIn("/pom.xml")) {
            Matcher named = NAMED.matcher(Files.readString(pom));
            if (named.find()) {
                seen++;
                List<String> there = classes(pom.resolveSibling("src/test/java"));
                for (String name : named.group(1).replace("!", "").strip().split("\\s*,\\s*", -1)) {
                    if (!name.contains("*") && !there.contains(name)) {
                        missing.add(pom + ": " + name);
                    }
                }
            }
        }
        assertThat(missing).as("tests that a pom.xml names, and no file").isEmpty();
        assertThat(seen).as("modules that name tests").isGreaterThan(3);
    }

    private static List<String> classes(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(file -> file.getFileName().toString().replaceFirst("\\.java$", ""))
                    .toList();
        }
    }
}
