package dev.leasehold.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A test's name has 50 characters at most; what more there is to say stands in its {@code @DisplayName}. */
class TestNameLengthTest {

    private static final int MOST_CHARACTERS = 50;

    private static final Pattern NAME = Pattern.compile("^ +(?:(?:default|public|private|static) )*void (\\w+)\\(");

    @Test
    void noTestHasALongName() throws IOException {
        List<String> tooLong = new ArrayList<>();
        int seen = 0;
        for (Path file : ProjectFiles.endingIn(".java")) {
            for (String line : Files.readAllLines(file)) {
                Matcher method = NAME.matcher(line);
                if (method.find()) {
                    seen++;
                    if (method.group(1).length() > MOST_CHARACTERS) {
                        tooLong.add(file.getFileName() + ": " + method.group(1));
                    }
                }
            }
        }
        assertThat(tooLong)
                .as("names of more than %s characters", MOST_CHARACTERS)
                .isEmpty();
        assertThat(seen).as("methods that were looked at").isGreaterThan(2000);
    }
}
