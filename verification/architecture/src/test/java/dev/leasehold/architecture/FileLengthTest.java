package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A file holds one idea; one of more than 400 lines holds two. */
class FileLengthTest {

    private static final int MOST_LINES = 400;

    @Test
    void noFileIsLongerThanFourHundredLines() throws IOException {
        List<String> tooLong = new ArrayList<>();
        List<Path> files = ProjectFiles.endingIn(".java");
        for (Path file : files) {
            int lines = Files.readAllLines(file).size();
            if (lines > MOST_LINES) {
                tooLong.add(file + " has " + lines);
            }
        }
        assertThat(tooLong).as("files with more than %s lines", MOST_LINES).isEmpty();
        assertThat(files).as("files that were looked at").hasSizeGreaterThan(500);
    }
}
