package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A file holds one idea; one of more than 400 lines holds two. */
class FileLengthTest {

    private static final int MOST_LINES = 400;

    @Test
    void noFileIsLongerThanFourHundredLines() throws IOException {
        List<String> tooLong = new ArrayList<>();
        int seen = 0;
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path sources : modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                for (Path file : javaFiles(sources)) {
                    seen++;
                    int lines = Files.readAllLines(file).size();
                    if (lines > MOST_LINES) {
                        tooLong.add(file + " has " + lines);
                    }
                }
            }
        }
        assertThat(tooLong).as("files with more than %s lines", MOST_LINES).isEmpty();
        assertThat(seen).as("files that were looked at").isGreaterThan(500);
    }

    private static List<Path> javaFiles(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
