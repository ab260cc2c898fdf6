package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A golden file is a text that is kept beside the tests of a module and changes only on purpose. {@code -Dgolden=write}
 * writes it anew; the difference is then read in the commit.
 */
public record GoldenFile(String name) {

    /** Fails unless the text is that of the file {@code src/test/golden/NAME}. */
    public void check(String text) throws IOException {
        Path file = Path.of("src", "test", "golden", name);
        if ("write".equals(System.getProperty("golden"))) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        }
        assertThat(text)
                .as("the text kept in %s; -Dgolden=write accepts a change", file)
                .isEqualTo(Files.readString(file));
    }
}
